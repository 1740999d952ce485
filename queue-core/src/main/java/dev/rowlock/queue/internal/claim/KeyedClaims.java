package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.CancelRest.RestOfKeys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.claim.Claimer.KeyedSource;
import dev.rowlock.queue.internal.claim.KeyedBatch.Claimed;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.claim.KeyedRounds.Seen;
import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claims of a queue's jobs with keys, and of all its jobs where the queue has a limit of its own: when the next one is made, for how many jobs, and what comes
 * of it. Where it looks is said by {@link KeyedRounds}; keys of which there is word are asked before the round goes on, if nothing but their own limits can
 * keep their jobs.
 *
 * <p>There is a look with each claim for a while after there was such a job, and otherwise when the last look has said so.
 *
 * <p>Used by one thread at a time, but for what is heard and asked by others.
 */
final class KeyedClaims {

    /** While limits have room for few jobs at a time, claims begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(1);

    /** Where the server refuses one job after the other. */
    private static final Duration AFTER_REFUSALS = Duration.ofSeconds(1);

    /** Jobs are claimed ahead that threads begin so soon: while one waits here, no other one of its key can begin elsewhere. */
    private static final Duration AHEAD = Duration.ofMillis(10);

    private static final Duration FURTHEST_AHEAD = Duration.ofMillis(100);

    private static final int LARGEST = 1_000;

    /** The weight of the newest measurement. */
    private static final double NEWEST = 0.3;

    private final QueueConsumer consumer;
    private final ClaimKeyedJobs statement;
    private final RestOfKeys restOfKeys;
    private final Duration pollInterval;
    private final Duration kept;
    private final @Nullable String timeouts;
    private final NodeView node;
    private final KeyCursor cursor;
    private final KeyedRounds rounds;
    private final KeyedTurns turns;
    private final MinimumInterval pace = new MinimumInterval(APART);
    private final RefusedJobs refused = new RefusedJobs("that have keys cannot be claimed");
    private final BatchLimit inTime = new BatchLimit(LARGEST);

    private final AtomicLong ended = new AtomicLong(); // jobs that counted against a limit, and left room for any key
    private volatile boolean limited; // whether the queue has a limit of its own
    private volatile boolean lends; // whether keys lend each other places
    private volatile boolean ruled; // whether it has any rule
    private volatile boolean wantsRoom; // limits have kept it from claiming as many jobs as it could
    private volatile long seenAt; // when there was a job with a key; 0: never; monotonic, as all below
    private volatile boolean heard; // whether there is such word, and not of which key, since the last claim of a round
    private long endedBefore; // when the last claim began
    private long roundAt = System.nanoTime(); // of the next claim of a round
    private long namedAt = roundAt; // not before that are keys asked of which there was word
    private boolean awaited = true; // whether the next look is sooner than the queue is polled
    private boolean askedNamed; // by the last claim
    private double took; // a look, lately, in nanoseconds

    /**
     * One claim.
     *
     * @param named it asks these keys, of which there was word; null: it is one of a round
     * @param taker takes what it brings
     */
    private record Claim(
            Look look,
            Keys keys,
            @Nullable List<String> named,
            int limit,
            int largest,
            long nodeId,
            Predicate<Batch> taker) {

        private boolean walks() {
            return keys.known() == null;
        }

        private Claim fromFront() {
            return new Claim(look, Keys.WALK, null, limit, largest, nodeId, taker);
        }
    }

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
        this.consumer = consumer;
        this.statement = source.claim();
        this.restOfKeys = new RestOfKeys(consumer.queue(), statement.cancelRest(), source.changed());
        this.pollInterval = pollInterval;
        this.kept = source.kept();
        this.timeouts = timeouts;
        this.node = node;
        this.cursor = new KeyCursor(QueueCursor.share(this::nodes), System.nanoTime());
        this.rounds = new KeyedRounds(cursor, pollInterval);
        this.turns = new KeyedTurns(this::nodes, pollInterval);
    }

    private int nodes() {
        return node.place(consumer.queue()).nodes();
    }

    /** There are jobs with keys, or there is room for some. Any thread. */
    void heard() {
        heardOf(null);
    }

    /** The same of this key; null: nobody knows of which. Any thread. */
    void heardOf(@Nullable String key) {
        if (!asksAlone(key)) {
            heard = true;
        }
        seenAt = System.nanoTime();
    }

    /** Notes that this key is to be asked. Not if what happens to it may let others run, nobody knows of which there is word, or too many are noted. */
    private boolean asksAlone(@Nullable String key) {
        return key != null && !limited && !lends && cursor.name(key);
    }

    /** A job of this key, or of none, has ended here that counted against a limit. Returns whether the limit's room has been waited for. Any thread. */
    boolean countedJobEnded(@Nullable String key) {
        // First: a claim that is under way looks at it after it has said what it wants.
        if (!asksAlone(key)) {
            ended.incrementAndGet();
        }
        return wantsRoom;
    }

    /** Whether others may wait for the end of this job: a limit counts it, or may do so by now. Any thread. */
    boolean counts(ClaimedJob job) {
        return job.counted() || limited || ruled && job.key() != null;
    }

    /** Whether there were jobs with keys lately, or something limits the queue as a whole. Any thread. */
    boolean active() {
        return limited || seenAt != 0 && System.nanoTime() - seenAt < kept.toNanos();
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
        return untilDue().compareTo(Duration.ZERO) <= 0;
    }

    /** How long until then, unless there is a wake-up. */
    Duration untilDue() {
        long now = System.nanoTime();
        return asksNamed()
                ? Rests.shorter(Duration.ofNanos(Math.max(0, namedAt - now)), untilRound(now))
                : untilRound(now);
    }

    /** How long until the next claim of a round. */
    private Duration untilRound(long now) {
        if (wantsRoom && ended.get() != endedBefore) {
            return Duration.ZERO;
        }
        Duration rest = Duration.ofNanos(Math.max(0, roundAt - now));
        return heard ? Rests.shorter(rest, rounds.untilHeard(now)) : rest;
    }

    /** Whether there are keys to ask that nothing but their own limits keeps from a job. */
    private boolean asksNamed() {
        return wantsRoom && !limited && !rounds.borrows() && cursor.named();
    }

    /** Whether a look must come sooner than the queue is polled. */
    boolean awaited() {
        return seenAt != 0 && System.nanoTime() - seenAt < kept.toNanos() || awaited;
    }

    /** How far ahead of threads jobs are claimed: those that begin before the next look could bring others. */
    private Duration ahead() {
        return Rests.shorter(AHEAD.plusNanos((long) (2 * took)), FURTHEST_AHEAD);
    }

    /**
     * Claims once. Returns how long to wait before the next look, unless there is a wake-up.
     *
     * @param left jobs of these types are left to others
     * @param taker takes what was claimed; false if the lease is lost
     */
    Duration claim(List<String> left, long nodeId, Predicate<Batch> taker) {
        Kind first = limited ? turns.first(consumer.behindInPlaces()) : Kind.KEYED;
        int limit = Math.min(inTime.rows(), consumer.demand(first, ahead()));
        if (limit == 0) {
            consumer.signalDemand(first, ahead());
            return pollInterval;
        }
        if (wantsRoom) {
            pace.await();
        }
        pace.begun();
        long begunAt = System.nanoTime();
        int largest = consumer.budget().reserve(limit);
        try {
            claim(next(first, limit, largest, nodeId, taker), new Which(left, refused.ids(), null));
        } catch (RuntimeException e) {
            inTime.failed(e);
            node.claimFailed();
            throw e;
        } finally {
            consumer.budget().giveBack((long) largest * limit);
        }
        took += NEWEST * (System.nanoTime() - begunAt - took);
        return untilDue();
    }

    private Claim next(Kind first, int limit, int largest, long nodeId, Predicate<Batch> taker) {
        long now = System.nanoTime();
        boolean roundIsDue = untilRound(now).isZero();
        if (asksNamed() && namedAt - now <= 0 && !(askedNamed && roundIsDue)) {
            Look look = Look.FIRST.ofBacklog(turns.backlog());
            List<String> named = cursor.takeNamed(statement.keys(look.widely(true), limit));
            return new Claim(look, cursor.of(named, now), named, limit, largest, nodeId, taker);
        }
        if (!wantsRoom || limited) {
            cursor.addNamed();
        }
        boolean word = heard;
        heard = false; // first: what is heard from now on may be too late for this claim
        Look look = rounds.next(word, now).plainFirst(first == Kind.PLAIN).ofBacklog(turns.backlog());
        Keys keys = rounds.walks() ? cursor.walk(now) : cursor.behind(look, statement.keys(look, limit), now);
        return new Claim(look, keys, null, limit, largest, nodeId, taker);
    }

    private void claim(Claim claim, Which which) {
        askedNamed = claim.named() != null;
        if (refused.isDue()) {
            nameAgain(claim);
            refused.tryAgain(ids -> claimOnly(claim.fromFront(), which, ids), claim.limit());
            return; // there may be less demand by now
        }
        endedBefore = askedNamed ? endedBefore : ended.get();
        wantsRoom = askedNamed;
        KeyedBatch batch;
        try {
            batch = run(claim, which);
        } catch (RuntimeException e) {
            nameAgain(claim);
            rest(claimApart(claim, which, e));
            return;
        }
        seen(batch, System.nanoTime());
        if (batch.stop() == Stop.OUT_OF_TURN) {
            wantsRoom = true;
            nameAgain(claim);
            rounds.refused();
            rest(turns.await());
            return;
        }
        turns.over(batch, claim.look().plainFirst(), claim.limit());
        cursor.learn(batch, claim.walks(), askedNamed ? Objects.requireNonNull(claim.named()) : List.of());
        if (!claim.taker().test(batch.batch())) {
            return;
        }
        boolean cancelled = restOfKeys.cancel(batch.toCancel());
        boolean full = batch.batch().jobs().size() == claim.limit();
        if (full) {
            inTime.worked();
        }
        nameAgain(claim, batch, full);
        wantsRoom = askedNamed || !full;
        goOn(claim, batch, cancelled);
    }

    private void goOn(Claim claim, KeyedBatch batch, boolean cancelled) {
        long now = System.nanoTime();
        if (!askedNamed) {
            Seen seen = new Seen(claim.look().plainFirst(), cancelled, node.hearing());
            Duration rest = rounds.over(batch, seen, now);
            roundAt = now + rest.toNanos();
            awaited = rest.compareTo(pollInterval) < 0;
        } else if (batch.untilRate() != null) {
            roundAt = Math.min(roundAt, now + batch.untilRate().toNanos());
            awaited = true;
        } else if (cancelled) {
            roundAt = now;
            awaited = true;
        }
    }

    private void rest(Duration rest) {
        namedAt = System.nanoTime() + rest.toNanos();
        roundAt = askedNamed ? roundAt : namedAt;
        awaited = true;
    }

    /** Nothing was asked: all of it is asked again. */
    private void nameAgain(Claim claim) {
        if (claim.named() != null) {
            cursor.nameFirst(claim.named());
        }
    }

    /** What has had no turn is asked again, before all others; what may have more jobs than its share, or may have to wait for its rate, behind them. */
    private void nameAgain(Claim claim, KeyedBatch batch, boolean full) {
        List<String> named = claim.named();
        if (named == null) {
            return;
        }
        Map<String, Claimed> claimed = batch.learned().claimed();
        if (full) {
            cursor.nameFirst(
                    named.stream().filter(key -> !claimed.containsKey(key)).toList());
        }
        int share = claim.limit() / named.size();
        claimed.forEach((key, brought) -> {
            if (batch.rated() || brought.jobs() >= share) {
                heard |= !cursor.name(key) && !cursor.knows(key);
            }
        });
    }

    private KeyedBatch run(Claim claim, Which which) {
        return statement.run(
                consumer.queue(),
                claim.look(),
                claim.keys(),
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
                        consumer.queue(), claim.look(), claim.keys(), claim.limit(), which, claim.nodeId()),
                ids -> claimOnly(claim, which, ids),
                together);
        return some ? Duration.ZERO : Rests.shorter(AFTER_REFUSALS, pollInterval);
    }

    /** Returns false if the lease is lost. */
    private boolean claimOnly(Claim claim, Which which, List<Long> ids) {
        return claim.taker().test(run(claim, which.only(ids)).batch());
    }

    private void seen(KeyedBatch batch, long lookedAt) {
        limited = batch.limited();
        lends = batch.lends();
        ruled = batch.learned().seen() != null;
        if (!batch.batch().jobs().isEmpty() || batch.keys()) {
            seenAt = lookedAt;
        }
    }
}
