package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.store.BatchLimit;
import dev.rowlock.queue.internal.store.RefusedJobs;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.gate.CancelRest;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.internal.thread.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims of a queue's jobs with keys, and of all its jobs where the queue has a limit of its own: where the next one looks, when,
 * and for how many jobs. Goes round: from one claim to the next it passes through all keys, so that none comes twice before each has
 * come once.
 *
 * <p>Used by one thread at a time, but for {@link #heard} and {@link #active}.
 */
final class KeyedClaims {

    private static final Logger log = LoggerFactory.getLogger(KeyedClaims.class);

    /** A queue that has had keys is looked at with each claim for so long. */
    private static final Duration KEPT = Duration.ofMinutes(1);

    /** When to look again for keys that somebody else was filling. */
    private static final Duration BUSY = Duration.ofMillis(10);

    /** Jobs are claimed ahead that threads begin so soon: while one waits here, no other one of its key can begin elsewhere. */
    private static final Duration AHEAD = Duration.ofMillis(10);

    /** While limits have room for few jobs at a time, claims begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(1);

    /** Rates are looked at no more often: what becomes free meanwhile is taken together. */
    private static final Duration RATE_TICK = Duration.ofMillis(5);

    /** Where the server refuses one job after the other. */
    private static final Duration AFTER_REFUSALS = Duration.ofSeconds(1);

    private static final int LARGEST = 1_000;

    private final QueueConsumer consumer;
    private final ClaimKeyedJobs statement;
    private final CancelRest cancelRest;
    private final Duration pollInterval;
    private final @Nullable String timeouts;
    private final Runnable failed;

    private volatile long seenAt; // when there was such a job; 0: never
    private volatile boolean limited; // whether the queue has a limit of its own
    private final AtomicLong ended = new AtomicLong(); // jobs that counted against a limit
    private volatile boolean wantsRoom; // limits have kept it from claiming as many jobs as it could
    private final MinimumInterval pace = new MinimumInterval(APART);
    private final RefusedJobs refused = new RefusedJobs("that have keys cannot be claimed");
    private final BatchLimit inTime = new BatchLimit(LARGEST);
    private long lookedAt; // 0: never
    private Turn turn = Turn.FIRST;
    private boolean plainFirst;
    private boolean found; // since the round began, as below
    private boolean busy;
    private @Nullable Long rateAt; // when a rate allows the next job, monotonic; null: none keeps any

    /** Who claims how much, and takes it. */
    private record Claim(Turn turn, int limit, int largest, long nodeId, Predicate<Batch> taker) {}

    /**
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type
     * @param failed told of each claim that fails, because it may have been committed all the same
     */
    KeyedClaims(
            QueueConsumer consumer,
            ClaimKeyedJobs statement,
            Duration pollInterval,
            @Nullable String timeouts,
            Runnable failed) {
        this.failed = failed;
        this.consumer = consumer;
        this.statement = statement;
        this.cancelRest = statement.cancelRest();
        this.pollInterval = pollInterval;
        this.timeouts = timeouts;
    }

    /** There are jobs with keys, or there is room for some. Any thread. */
    void heard() {
        seenAt = System.nanoTime();
    }

    /** A job has ended here that counted against a limit. Returns whether the limit's room has been waited for. Any thread. */
    boolean roomForKeys() {
        ended.incrementAndGet(); // first: a claim that is under way looks at it after it has said what it wants
        return wantsRoom;
    }

    /** Whether there was a job with a key lately. */
    boolean recent() {
        return seenAt != 0 && System.nanoTime() - seenAt < KEPT.toNanos();
    }

    /** Whether each look must be for keys too. Any thread. */
    boolean active() {
        return limited || recent();
    }

    /** Whether to look now. Where no job has had a key lately, who finds nothing else looks for one as often as it polls. */
    boolean due(boolean nothingElse) {
        return active() || nothingElse && (lookedAt == 0 || System.nanoTime() - lookedAt >= pollInterval.toNanos());
    }

    /**
     * Claims once. Returns how long to wait before the next look, unless there is a wake-up.
     *
     * @param nothingElse whether its threads have nothing else to do; otherwise jobs with keys get half of them
     * @param left jobs of these types are left to others
     * @param taker takes what was claimed; false if the lease is lost
     */
    Duration claim(boolean nothingElse, List<String> left, long nodeId, Predicate<Batch> taker) {
        int demand = consumer.demandWithin(AHEAD);
        int limit = Math.min(inTime.rows(), nothingElse ? demand : Math.min(demand, 1 + consumer.concurrency() / 2));
        if (limit == 0) {
            consumer.signalDemandWithin(AHEAD);
            return pollInterval;
        }
        if (wantsRoom) {
            pace.await();
        }
        pace.begun();
        int largest = consumer.budget().reserve(limit);
        try {
            Claim claim = new Claim(turn(), limit, largest, nodeId, taker);
            return claim(claim, new Which(left, refused.ids(), null));
        } catch (RuntimeException e) {
            inTime.failed(e);
            failed.run();
            throw e;
        } finally {
            consumer.budget().giveBack((long) largest * limit);
        }
    }

    private Turn turn() {
        plainFirst = !plainFirst;
        return new Turn(turn.key(), turn.rest(), plainFirst);
    }

    private Duration claim(Claim claim, Which which) {
        if (refused.isDue()) {
            refused.tryAgain(ids -> claimOnly(claim, which, ids), claim.limit());
            return Duration.ZERO; // there may be less demand by now
        }
        long before = ended.get();
        wantsRoom = false;
        KeyedBatch batch;
        try {
            batch = run(claim, which);
        } catch (RuntimeException e) {
            return claimApart(claim, which, e);
        }
        seen(batch);
        if (!claim.taker().test(batch.batch())) {
            return Duration.ZERO;
        }
        cancelRest(batch.toCancel());
        boolean full = batch.batch().jobs().size() == claim.limit();
        if (full) {
            inTime.worked();
        }
        wantsRoom = !full;
        Duration rest = rest();
        return wantsRoom && ended.get() != before ? Duration.ZERO : rest;
    }

    private KeyedBatch run(Claim claim, Which which) {
        return statement.run(
                consumer.queue(), claim.turn(), claim.limit(), claim.largest(), which, claim.nodeId(), timeouts);
    }

    /** One job that cannot be claimed must not keep the others; in strict order, it keeps those of its key. */
    private Duration claimApart(Claim claim, Which which, RuntimeException together) {
        boolean some = refused.apart(
                () -> statement.names(consumer.queue(), claim.turn(), claim.limit(), which, claim.nodeId()),
                ids -> claimOnly(claim, which, ids),
                together);
        return some ? Duration.ZERO : Rests.shorter(AFTER_REFUSALS, pollInterval);
    }

    private void claimOnly(Claim claim, Which which, List<Long> ids) {
        claim.taker().test(run(claim, which.only(ids)).batch());
    }

    private void seen(KeyedBatch batch) {
        boolean some = !batch.batch().jobs().isEmpty();
        lookedAt = System.nanoTime();
        limited = batch.limited();
        if (some || batch.keys()) {
            seenAt = lookedAt;
        }
        turn = batch.next() == null ? Turn.FIRST : batch.next();
        found |= some;
        busy |= batch.busy() > 0;
        if (batch.untilRate() != null) {
            long at = lookedAt + batch.untilRate().toNanos();
            rateAt = rateAt == null || at - rateAt < 0 ? (Long) at : rateAt;
        }
    }

    /** Jobs that may not run any more keep their place until somebody takes them out of it: who finds them does. */
    private void cancelRest(List<String> keys) {
        if (!keys.isEmpty()) {
            int cancelled = cancelRest.run(consumer.queue(), keys);
            log.info(
                    "queue '{}': cancelled {} jobs, because others of their keys have failed",
                    consumer.queue(),
                    cancelled);
            found |= cancelled > 0;
        }
    }

    private Duration rest() {
        if (!turn.key().isEmpty()) {
            return Duration.ZERO;
        }
        Duration rest = found ? Duration.ZERO : busy ? Signal.jittered(BUSY) : Rests.shorter(pollInterval, untilRate());
        found = false;
        busy = false;
        rateAt = null;
        return rest;
    }

    private Duration untilRate() {
        return rateAt == null ? pollInterval : Rests.longer(RATE_TICK, Duration.ofNanos(rateAt - System.nanoTime()));
    }
}
