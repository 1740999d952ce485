package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.thread.ClockWatch;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.spi.ClaimCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs of one queue for all its threads, one batch after the other, on the fetcher's thread. Any thread may tell it something.
 *
 * <p>The next jobs come from two sources: those without keys, and those with keys. A kind is looked for if it has brought jobs, if something was heard of it,
 * and as often as the queue is polled. Where both are to be looked for, the one comes first that has had less of the threads, and neither takes more than its
 * share of them before it is known that the other one leaves some.
 */
public final class Claimer {

    /** Jobs per claim while there is a backlog: more would only make its transaction longer. */
    private static final int LARGEST_CLAIM = 1_000;

    /** While jobs come one by one, claims begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(2);

    /** Where the server refuses one job after the other. */
    private static final Duration AFTER_REFUSALS = Duration.ofSeconds(1);

    /** A queue whose claims take longer is not polled together with others. */
    static final Duration QUICK = Duration.ofMillis(20);

    /**
     * Where jobs with keys come from.
     *
     * @param changed called when it has cancelled jobs of workflows
     * @param kept a queue that has had such jobs is looked at for them with each claim for so long
     */
    public record KeyedSource(ClaimKeyedJobs claim, Runnable changed, Duration kept) {

        private static final Duration KEPT = Duration.ofMinutes(1);

        public KeyedSource(ClaimKeyedJobs claim, Runnable changed) {
            this(claim, changed, KEPT);
        }
    }

    /** What of the queue is left to other nodes: the jobs of some types, or all. */
    private record Left(List<String> types, boolean all) {

        private static final Left NOTHING = new Left(List.of(), false);
    }

    private final QueueConsumer consumer;
    private final ClaimReadyJobs statement;
    private final FetchSettings settings;
    private final NodeView node;
    private final @Nullable String timeouts;

    private final MinimumInterval pace = new MinimumInterval(APART); // the fetcher's thread only, as those below
    private final RefusedJobs refused = new RefusedJobs("that are ready cannot be claimed");
    private final KeyedClaims keyed;
    private final TurnBackoff outOfTurn = new TurnBackoff();
    private final BatchLimit inTime = new BatchLimit(LARGEST_CLAIM);
    private final ClockWatch clock = new ClockWatch();
    private long lookedAt = System.nanoTime(); // for jobs without keys
    private boolean full; // the last claim of such jobs brought all that it asked for
    private boolean quick; // the server has answered it soon
    private int empty; // so many of them in a row have found nothing
    private long broughtAt = System.nanoTime(); // the last one that found some

    private volatile QueueCursor cursor; // written by the fetcher's thread
    private volatile ClaimCounts counts; // written by the fetcher's thread
    private volatile boolean heard = true; // of jobs without keys, since the last look for them
    private volatile boolean closed;
    private volatile boolean paused;
    private volatile Left left = Left.NOTHING;
    private volatile boolean lookAnew;

    /** @param timeouts the listeners' timeouts as a JSON object of milliseconds by type */
    public Claimer(
            QueueConsumer consumer,
            ClaimReadyJobs statement,
            KeyedSource keyed,
            FetchSettings settings,
            NodeView node,
            @Nullable String timeouts) {
        this.consumer = consumer;
        this.statement = statement;
        this.keyed = new KeyedClaims(consumer, keyed, settings.pollInterval(), timeouts, node);
        this.settings = settings;
        this.node = node;
        this.timeouts = timeouts;
        this.cursor = newCursor();
        this.counts = new ClaimCounts(consumer.queue(), 0, 0, 0);
    }

    private QueueCursor newCursor() {
        return new QueueCursor(QueueCursor.sharers(() -> place().nodes()), System.nanoTime());
    }

    /** What its claims have brought. */
    ClaimCounts counts() {
        return counts;
    }

    Place place() {
        return node.place(consumer.queue());
    }

    QueueConsumer consumer() {
        return consumer;
    }

    private void count(int jobs) {
        int some = jobs > 0 ? 1 : 0;
        counts = new ClaimCounts(
                counts.queue(), counts.successful() + some, counts.empty() + 1 - some, counts.jobs() + jobs);
    }

    /** There may be jobs without keys. */
    private void heardOfPlain() {
        heard = true;
        if (keyed.limited()) {
            keyed.heard(); // which claims those without keys too
        }
    }

    /** There may be jobs of both kinds. */
    private void heardOfAll() {
        heard = true;
        if (keyed.active()) {
            keyed.heard();
        }
    }

    /** A job of this rank became ready. */
    void urgent(int rank) {
        heardOfPlain();
        cursor.urgent(rank);
    }

    /** The next claim begins at the front. */
    void lookAnew() {
        lookAnew = true;
        heardOfAll();
    }

    KeyedClaims keyed() {
        return keyed;
    }

    /** Whether it claims whatever there is. */
    boolean takesAll() {
        return !closed && !claimsNothing() && left.types().isEmpty() && consumer.idle();
    }

    /** Jobs went back to the place in the queue that they had. */
    void jobsBack() {
        heardOfPlain();
        cursor.jobsBack(System.nanoTime());
    }

    /** Returns whether that is a change. */
    boolean pause(boolean pause) {
        boolean changed = paused != pause;
        paused = pause;
        if (changed) {
            heardOfAll();
            if (pause) {
                consumer.releaseUnstarted();
            }
        }
        return changed;
    }

    /**
     * Leaves jobs of these types to others, also if they stand in front of those that it claims; from all types it claims
     * nothing. Returns whether that is a change.
     */
    boolean leave(Set<String> types, boolean all) {
        Left before = left;
        Left now = new Left(types.stream().sorted().toList(), all);
        left = now;
        // The cursor has passed what was left, and now is to be claimed.
        if (!now.types().containsAll(before.types())) {
            lookAnew();
        }
        return !now.equals(before);
    }

    /** Gives back claimed jobs that would not begin soon. Called several times a second, by one thread at a time. */
    void giveBackLate() {
        consumer.giveBackLate(place().nodes() > 1);
    }

    /** No claim begins any more, and what one brings that is under way goes back. */
    void close() {
        closed = true;
    }

    /** Whether it claims nothing now, whatever is ready. */
    boolean claimsNothing() {
        return paused || left.all();
    }

    /**
     * Whether nothing has been found for so long, and a plain look from the front would tell as well, and as quickly, whether there
     * is something to claim.
     */
    boolean idleFor(Duration time) {
        // A look that knows no exceptions tells nothing where there are some.
        boolean leavesNothing = refused.ids().isEmpty() && left.types().isEmpty();
        boolean nothing = empty > 0 && !keyed.awaited() && quick && cursor.lookedFromFront() && leavesNothing;
        return (nothing || claimsNothing())
                && !consumer.metUnknownType()
                && System.nanoTime() - broughtAt >= time.toNanos();
    }

    /** Claims once if there is demand, as soon as it may. Returns how long to wait for the next look, or for a wake-up. */
    Duration claim() {
        if (!closed && node.admissions().hold(consumer.queue())) {
            return Duration.ZERO;
        }
        boolean keys = keyed.due();
        if (keyed.active() && !heard && empty > 0 && untilPoll().compareTo(Duration.ZERO) > 0) {
            return Rests.shorter(keys ? claimKeyed() : keyed.untilDue(), untilPoll());
        }
        if (!keys) {
            return Rests.shorter(claimPlain(), keyed.untilDue());
        }
        contend();
        boolean keysFirst = (keyed.active() || full) && consumer.behind() == Kind.KEYED;
        Duration first = keysFirst ? claimKeyed() : claimPlain();
        Duration rest = Rests.shorter(first, keysFirst ? claimPlain() : claimKeyed());
        contend(); // what one kind has not taken, the other one may
        return rest;
    }

    /** Says whether both kinds may have more jobs that wait. */
    private void contend() {
        boolean wantsPlain = heard || full || keyed.active() && untilPoll().isNegative();
        consumer.contended(keyed.limited() ? keyed.contended() : keyed.due() && wantsPlain);
    }

    /** How long until jobs without keys are looked for though nothing is heard. */
    private Duration untilPoll() {
        return Duration.ofNanos(lookedAt + settings.pollInterval().toNanos() - System.nanoTime());
    }

    private Duration claimPlain() {
        contend();
        long nodeId = node.nodeId();
        if (lookAnew) {
            lookAnew = false; // before what is left is read: whoever changes that sets this afterwards
            cursor = newCursor();
        }
        Left nobodys = left;
        if (closed || paused || nobodys.all() || nodeId == 0) {
            return settings.pollInterval();
        }
        boolean some = !nobodys.types().isEmpty();
        Duration tooSoon = some ? cursor.untilNextPoll(System.nanoTime()) : Duration.ZERO;
        if (!tooSoon.isZero()) {
            return tooSoon; // even if woken: each look walks over all jobs that it leaves
        }
        Duration horizon = settings.prefetchHorizon();
        // A claim of many tells other nodes how far it got, and they would pass over what this one leaves.
        int most = full && !some ? LARGEST_CLAIM : ClaimReadyJobs.FEW;
        int limit = Math.min(consumer.demand(Kind.PLAIN, horizon), Math.min(most, inTime.rows()));
        if (limit == 0) {
            consumer.signalDemand(Kind.PLAIN, horizon);
            return settings.pollInterval();
        }
        if (!full) {
            pace.await();
        }
        pace.begun();
        heard = false; // what is heard from now on may be too late for this look
        lookedAt = System.nanoTime();
        int largest = consumer.budget().reserve(limit);
        try {
            return claimPlain(nobodys, limit, largest, nodeId);
        } catch (RuntimeException | Error e) {
            failed(e);
            throw e;
        } finally {
            consumer.budget().giveBack((long) largest * limit);
        }
    }

    private Duration claimKeyed() {
        contend();
        long nodeId = node.nodeId();
        if (closed || claimsNothing() || nodeId == 0) {
            return settings.pollInterval();
        }
        return keyed.claim(left.types(), nodeId, batch -> takeKeyed(batch, nodeId));
    }

    private boolean takeKeyed(Batch batch, long nodeId) {
        long ended = System.nanoTime();
        count(batch.jobs().size());
        return giveUnlessClosed(batch, nodeId, ended);
    }

    private void failed(Throwable e) {
        if (e instanceof RuntimeException refusal) {
            inTime.failed(refusal);
        }
        quick = false;
        full = false;
        heardOfPlain();
        node.claimFailed();
    }

    private Duration claimPlain(Left nobodys, int limit, int largest, long nodeId) {
        if (refused.isDue()) {
            refused.tryAgain(ids -> claimNamed(ids, largest, nodeId), limit);
            return Duration.ZERO; // there may be less demand by now
        }
        QueueRange range = range().without(refused.ids()).withoutTypes(nobodys.types());
        Batch batch;
        try {
            batch = statement.run(consumer.queue(), range, limit, largest, nodeId, timeouts);
        } catch (RuntimeException e) {
            return claimApart(() -> statement.names(consumer.queue(), range, limit), largest, nodeId, e);
        }
        quick = batch.took().compareTo(QUICK) <= 0;
        return accept(batch, nodeId, limit, System.nanoTime());
    }

    /** One job that cannot be claimed must not keep the others. */
    private Duration claimApart(Supplier<List<Long>> names, int largest, long nodeId, RuntimeException together) {
        boolean some = refused.apart(names, part -> claimNamed(part, largest, nodeId), together);
        return some ? Duration.ZERO : Rests.shorter(AFTER_REFUSALS, settings.pollInterval());
    }

    private void claimNamed(List<Long> ids, int largest, long nodeId) {
        give(statement.named(consumer.queue(), ids, largest, nodeId, timeouts), nodeId, System.nanoTime());
    }

    private QueueRange range() {
        QueueRange next = cursor.next(System.nanoTime());
        return place().nodes() == 1 ? next.alone() : next;
    }

    private Duration accept(Batch batch, long nodeId, int limit, long ended) {
        if (!batch.inTurn()) {
            heardOfPlain();
            return Rests.shorter(outOfTurn.await(place().nodes()), idleWait());
        }
        outOfTurn.over();
        boolean nothing = batch.jobs().isEmpty();
        count(batch.jobs().size());
        full = batch.jobs().size() == limit;
        empty = nothing ? empty + 1 : 0;
        broughtAt = nothing ? broughtAt : ended;
        if (full) {
            inTime.worked();
        }
        cursor.claimed(batch.last(), full, batch.took(), ended);
        Duration rest = clockWasSetBack(batch, ended) || full ? Duration.ZERO : rest(nothing, ended);
        // Last of all: the thread that it wakes may have to wait for this one's processor.
        return giveUnlessClosed(batch, nodeId, ended) ? rest : Duration.ZERO;
    }

    /** Then new jobs stand before those that were claimed last, and the next claim begins at the front. */
    private boolean clockWasSetBack(Batch batch, long ended) {
        Instant at = batch.at();
        boolean setBack = at != null && clock.setBack(at, ended - batch.took().toNanos());
        if (setBack) {
            lookAnew();
        }
        return setBack;
    }

    /** Returns false if the lease is lost. */
    private boolean giveUnlessClosed(Batch batch, long nodeId, long ended) {
        if (!closed) {
            return give(batch, nodeId, ended);
        }
        consumer.refuse(batch.jobs(), ended - batch.took().toNanos());
        return true;
    }

    /** Returns false if the lease is lost. */
    private boolean give(Batch batch, long nodeId, long ended) {
        if (node.nodeId() != nodeId) {
            // The lease was lost meanwhile: rescue takes these jobs back, from the old id.
            return false;
        }
        consumer.accept(admitted(batch.jobs()), ended - batch.took().toNanos());
        if (node.nodeId() != nodeId) {
            // Lost before we gave the jobs: whoever interrupts handlers then has not seen these.
            consumer.abandon();
            return false;
        }
        if (paused || closed) {
            consumer.releaseUnstarted(); // since the claim began, or in this moment
        }
        return true;
    }

    private List<ClaimedJob> admitted(List<ClaimedJob> claimed) {
        List<ClaimedJob> admitted = node.admissions().admitted(consumer.queue(), claimed);
        if (admitted.size() < claimed.size() && claimed.stream().anyMatch(ClaimedJob::counted)) {
            consumer.gateHasRoom(); // others may have found their limits full in this moment
        }
        return admitted;
    }

    private Duration rest(boolean nothing, long now) {
        // Jobs may stand before the cursor: look there as soon as that is affordable.
        Duration rest = cursor.lookedFromFront()
                ? idleWait()
                : Rests.shorter(cursor.untilNextLook(now), settings.pollInterval());
        return nothing ? Rests.longer(rest, cursor.untilNextPoll(now)) : rest;
    }

    private Duration idleWait() {
        return Rests.idle(settings.pollInterval(), node.hearing() ? empty : 1);
    }
}
