package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.KeyedRound.Look;
import dev.rowlock.queue.internal.claim.key.KeyLooks;
import dev.rowlock.queue.internal.claim.key.KeyMemory;
import dev.rowlock.queue.internal.claim.key.RecentKeys;
import dev.rowlock.queue.internal.store.batch.BatchLimit;
import dev.rowlock.queue.internal.store.batch.RefusedJobs;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Stop;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.claim.KnownKeys;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claims of a queue's jobs with keys, and of all its jobs where the queue has a limit of its own: where the next one looks, when,
 * and for how many jobs.
 *
 * <p>Used by one thread at a time, but for {@link #heard} and {@link #active}.
 */
final class KeyedClaims {

    /** While limits have room for few jobs at a time, claims begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(1);

    /** Where the server refuses one job after the other. */
    private static final Duration AFTER_REFUSALS = Duration.ofSeconds(1);

    private static final int LARGEST = 1_000;

    private final QueueConsumer consumer;
    private final ClaimKeyedJobs statement;
    private final RestOfKeys restOfKeys;
    private final Duration pollInterval;
    private final @Nullable String timeouts;
    private final NodeView node;

    private final KeyLooks looks;
    private volatile boolean limited; // whether the queue has a limit of its own
    private volatile boolean ruled; // whether it has any rule
    private final AtomicLong ended = new AtomicLong(); // jobs that counted against a limit
    private long endedBefore; // the same when the last claim began
    private long endedBeforeRound; // the same of the last round
    private long roundBegunAt; // monotonic
    private volatile boolean wantsRoom; // limits have kept it from claiming as many jobs as it could
    private final MinimumInterval pace = new MinimumInterval(APART);
    private final RefusedJobs refused = new RefusedJobs("that have keys cannot be claimed");
    private final BatchLimit inTime = new BatchLimit(LARGEST);
    private final KeyMemory memory;
    private final RecentKeys recent;
    private final KeyedTurns turns;
    private final KeyedRound own = new KeyedRound();
    private final KeyedRound borrowed = new KeyedRound();
    private final KeyedStages stages;

    /** Who claims how much, and takes it. */
    private record Claim(Turn turn, KnownKeys known, int limit, int largest, long nodeId, Predicate<Batch> taker) {}

    /**
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type
     * @param node told of each claim that fails, because it may have been committed all the same
     */
    KeyedClaims(
            QueueConsumer consumer,
            KeyedSource source,
            Duration pollInterval,
            @Nullable String timeouts,
            NodeView node) {
        this.node = node;
        this.consumer = consumer;
        this.memory = new KeyMemory(QueueCursor.share(this::nodes), System.nanoTime());
        this.turns = new KeyedTurns(this::nodes, pollInterval);
        this.statement = source.claim();
        this.restOfKeys = new RestOfKeys(consumer.queue(), statement.cancelRest(), source.changed());
        this.pollInterval = pollInterval;
        this.stages = new KeyedStages(memory, pollInterval);
        this.looks = new KeyLooks(source.kept(), pollInterval);
        this.recent = new RecentKeys(pollInterval);
        this.timeouts = timeouts;
    }

    private int nodes() {
        return node.place(consumer.queue()).nodes();
    }

    /** There are jobs with keys, or there is room for some. Any thread. */
    void heard() {
        looks.heard();
    }

    /** A job has ended here that counted against a limit. Returns whether the limit's room has been waited for. Any thread. */
    boolean roomForKeys() {
        ended.incrementAndGet(); // first: a claim that is under way looks at it after it has said what it wants
        return wantsRoom;
    }

    /** Whether others may wait for the end of this job: a limit counts it, or may do so by now. Any thread. */
    boolean counts(ClaimedJob job) {
        return job.counted() || limited || ruled && job.key() != null;
    }

    /** Whether there were jobs with keys lately, or something limits the queue as a whole. Any thread. */
    boolean active() {
        return limited || looks.recent();
    }

    /** Whether something limits the queue as a whole, so that this claims its jobs without keys too. Any thread. */
    boolean limited() {
        return limited;
    }

    /** Whether both kinds have jobs left that wait, where this claims both. */
    boolean contended() {
        return turns.contended();
    }

    /**
     * Whether to look now: when the last look has said so, there is word of such jobs or room that it has waited for, and as often as
     * the queue is polled: nobody tells of jobs that were there before the node, nor of any without notifications.
     */
    boolean due() {
        return looks.wanted() || wantsRoom && ended.get() != endedBefore;
    }

    /** How long until then, unless there is a wake-up. */
    Duration untilDue() {
        return due() ? Duration.ZERO : looks.untilDue();
    }

    /** Whether a look must come sooner than the queue is polled. */
    boolean awaited() {
        return looks.recent() || looks.awaited();
    }

    /**
     * Claims once. Returns how long to wait before the next look, unless there is a wake-up.
     *
     * @param left jobs of these types are left to others
     * @param taker takes what was claimed; false if the lease is lost
     */
    Duration claim(List<String> left, long nodeId, Predicate<Batch> taker) {
        boolean borrows = stages.borrows();
        Kind first = limited ? turns.first(consumer.behindInPlaces()) : Kind.KEYED;
        int limit = Math.min(inTime.rows(), consumer.demand(first, looks.ahead()));
        if (limit == 0) {
            consumer.signalDemand(first, looks.ahead());
            return pollInterval;
        }
        looks.begin();
        if (wantsRoom) {
            pace.await();
        }
        pace.begun();
        int largest = consumer.budget().reserve(limit);
        try {
            Turn turn = turn(borrows, first);
            Claim claim = new Claim(turn, known(turn, limit), limit, largest, nodeId, taker);
            return looks.next(claim(claim, new Which(left, refused.ids(), null)));
        } catch (RuntimeException e) {
            inTime.failed(e);
            node.claimFailed();
            throw e;
        } finally {
            consumer.budget().giveBack((long) largest * limit);
        }
    }

    private KeyedRound round(boolean borrows) {
        return borrows ? borrowed : own;
    }

    private Turn turn(boolean borrows, Kind first) {
        KeyedRound round = round(borrows);
        Turn turn = round.turn()
                .plainFirst(first == Kind.PLAIN)
                .ofBacklog(turns.backlog())
                .widely(round.empty());
        return borrows ? turn.borrowing() : turn;
    }

    private KnownKeys known(Turn turn, int limit) {
        KeyedRound round = round(turn.borrows());
        long now = System.nanoTime();
        if (round.begins()) {
            roundBegunAt = now;
            endedBeforeRound = ended.get();
            round.begin(look(turn.borrows(), now));
        } else if (round.resumes() && round.look() != Look.RECENT) {
            round.begin(lookAtAll(now));
        }
        int most = statement.keys(turn, limit);
        if (round.look() == Look.RECENT && !recent.alone(now)) {
            round.begin(Look.KNOWN);
        }
        return switch (round.look()) {
            case FROM_FRONT -> memory.fromFront(now);
            case KNOWN -> memory.from(turn, most, now);
            case RECENT -> memory.alone(recent.behind(turn, most), most, now);
        };
    }

    private Look look(boolean borrows, long now) {
        if (!borrows && recent.begin(looks.heardAt(), now)) {
            return Look.RECENT;
        }
        return lookAtAll(now);
    }

    private Look lookAtAll(long now) {
        return memory.frontIn(stages.idle(), now).isZero() ? Look.FROM_FRONT : Look.KNOWN;
    }

    private Duration claim(Claim claim, Which which) {
        if (refused.isDue()) {
            Claim fromFront = new Claim(
                    claim.turn(), KnownKeys.NONE, claim.limit(), claim.largest(), claim.nodeId(), claim.taker());
            refused.tryAgain(ids -> claimOnly(fromFront, which, ids), claim.limit());
            return Duration.ZERO; // there may be less demand by now
        }
        endedBefore = ended.get();
        wantsRoom = false;
        KeyedBatch batch;
        try {
            batch = run(claim, which);
        } catch (RuntimeException e) {
            return claimApart(claim, which, e);
        }
        boolean borrows = claim.turn().borrows();
        KeyedRound round = round(borrows);
        seen(batch, round.look() == Look.FROM_FRONT);
        if (batch.stop() == Stop.OUT_OF_TURN) {
            wantsRoom = true;
            round.outOfTurn(borrows);
            Duration rest = turns.await();
            return ended.get() != endedBefore ? Duration.ZERO : rest;
        }
        turns.over(batch, claim.turn().plainFirst(), claim.limit());
        round.seen(batch, claim.turn());
        if (!claim.taker().test(batch.batch())) {
            return Duration.ZERO;
        }
        if (restOfKeys.cancel(batch.toCancel())) {
            round.found();
        }
        boolean full = batch.batch().jobs().size() == claim.limit();
        if (full) {
            inTime.worked();
        }
        wantsRoom = !full;
        if (!borrows) {
            recent.brought(batch.learned(), full);
        }
        boolean brought = !batch.batch().jobs().isEmpty();
        Duration rest = stages.rest(borrows, round, brought, limited, quiet());
        return wantsRoom && ended.get() != endedBefore ? Duration.ZERO : rest;
    }

    /** Whether nothing has happened since the round began that could let a key's jobs run, and word would come if it did. */
    private boolean quiet() {
        return node.hearing() && ended.get() == endedBeforeRound && !looks.heardSince(roundBegunAt);
    }

    private KeyedBatch run(Claim claim, Which which) {
        return statement.run(
                consumer.queue(),
                claim.turn(),
                claim.known(),
                claim.limit(),
                claim.largest(),
                which,
                claim.nodeId(),
                timeouts);
    }

    /** One job that cannot be claimed must not keep the others; in strict order, it keeps those of its key. */
    private Duration claimApart(Claim claim, Which which, RuntimeException together) {
        boolean some = refused.apart(
                () -> statement.names(
                        consumer.queue(), claim.turn(), claim.known(), claim.limit(), which, claim.nodeId()),
                ids -> claimOnly(claim, which, ids),
                together);
        return some ? Duration.ZERO : Rests.shorter(AFTER_REFUSALS, pollInterval);
    }

    /** Returns false if the lease is lost. */
    private boolean claimOnly(Claim claim, Which which, List<Long> ids) {
        return claim.taker().test(run(claim, which.only(ids)).batch());
    }

    private void seen(KeyedBatch batch, boolean fromFront) {
        long lookedAt = System.nanoTime();
        memory.learn(batch.learned(), fromFront, lookedAt);
        limited = batch.limited();
        ruled = batch.learned().seen() != null;
        if (!batch.batch().jobs().isEmpty() || batch.keys()) {
            looks.seen(lookedAt);
        }
        if (batch.untilRate() != null) {
            stages.rateAllowsIn(batch.untilRate(), lookedAt);
        }
    }
}
