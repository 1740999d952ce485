package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.operate.DoBulkBatch.BatchFailedException;
import dev.rowlock.queue.internal.operate.DoBulkBatch.Done;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does bulk actions, a batch at a time. Sleeps while there are none. */
final class BulkBatches implements Chore {

    private static final Logger log = LoggerFactory.getLogger(BulkBatches.class);

    /** Of an action that was made while this node did not hear of it. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(15);

    /** While others work on what is due. */
    private static final Duration REST_BEFORE_LOCKED = Duration.ofMillis(250);

    /** Before a job that somebody has locked. */
    private static final Duration REST_BEFORE_LOCKED_JOB = Duration.ofMillis(100);

    private final DoBulkBatch batch;
    private final BulkActionStatements actions;
    private final LimitStatements limits;
    private final Wakeups wakeups;

    BulkBatches(DoBulkBatch batch, BulkActionStatements actions, LimitStatements limits, Wakeups wakeups) {
        this.batch = batch;
        this.actions = actions;
        this.limits = limits;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "bulk actions";
    }

    @Override
    public boolean punctual() {
        return true;
    }

    @Override
    public boolean dueAfterChange() {
        return true;
    }

    @Override
    public Duration runOnce() {
        Optional<Done> done = next();
        if (done.isEmpty()) {
            return rest(actions.untilNext(batch.unreadable()).orElse(LONGEST_REST));
        }
        if (done.get().redriven()) {
            wakeups.jobsWaiting(Duration.ZERO);
        }
        if (done.get().ended()) {
            limits.queuesInOrder().forEach(wakeups::keysReady); // the others of their keys go on
            wakeups.attention(); // some may have been jobs of workflows
        }
        return done.get().stuck() ? REST_BEFORE_LOCKED_JOB : Duration.ZERO;
    }

    private Optional<Done> next() {
        try {
            return batch.run();
        } catch (BatchFailedException e) {
            OptionalInt stretch = e.outOfTime() ? batch.shorten(e.bulkActionId()) : OptionalInt.empty();
            if (stretch.isPresent()) {
                log.info(
                        "a batch of bulk action {} took too long; the next batches have {} jobs",
                        e.bulkActionId(),
                        stretch.getAsInt());
                return Optional.empty();
            }
            log.warn(
                    "a batch of bulk action {} failed; will retry in 10 s, its jobs are unchanged",
                    e.bulkActionId(),
                    e.getCause());
            batch.postpone(e.bulkActionId());
            return Optional.empty();
        }
    }

    private static Duration rest(Duration untilNext) {
        if (untilNext.compareTo(LONGEST_REST) > 0) {
            return LONGEST_REST;
        }
        return untilNext.isNegative() || untilNext.isZero() ? REST_BEFORE_LOCKED : untilNext;
    }
}
