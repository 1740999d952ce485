package dev.rowlock.queue.internal.due;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.batch.BatchLimit;
import dev.rowlock.queue.internal.store.batch.BatchSplitter;
import dev.rowlock.queue.internal.store.due.RestartWaits;
import dev.rowlock.queue.internal.store.due.RestartWaits.Stretch;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After the server's clock was set back: lets delays and back-off that would last longer by as much begin anew. Each node that
 * notices the step walks through all that waits, a stretch at a time; what one has found is nothing to the others. So does
 * each that starts, because nobody may have been there.
 */
public final class FutureWaits implements Chore {

    private static final Logger log = LoggerFactory.getLogger(FutureWaits.class);

    private static final Duration INTERVAL = Duration.ofDays(1);

    /** Jobs that were enqueued before the step may be committed after it. */
    private static final Duration ONCE_MORE = Duration.ofMinutes(1);

    private static final int STRETCH = 5_000;

    private final RestartWaits restart;
    private final Wakeups wakeups;
    private long behind = RestartWaits.FRONT;
    private int size = STRETCH;
    private int restarted; // in this round
    private volatile boolean stepped; // since this round began

    public FutureWaits(RestartWaits restart, Wakeups wakeups) {
        this.restart = restart;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "waits that began in the future";
    }

    /** The clock was set: what was looked at before does not count. Any thread. */
    public void clockStepped() {
        stepped = true;
    }

    @Override
    public Duration runOnce() {
        if (stepped) {
            stepped = false;
            behind = RestartWaits.FRONT;
        }
        Stretch stretch;
        try {
            stretch = restart.run(behind, size);
        } catch (RuntimeException e) {
            return lookCloser(e);
        }
        size = Math.min(STRETCH, 2 * size);
        restarted += stretch.restarted();
        if (stretch.nextDue() != null) {
            wakeups.jobsWaiting(stretch.nextDue());
        }
        if (stretch.end() != null) {
            behind = stretch.end();
            return Duration.ZERO;
        }
        return end();
    }

    /** One job that cannot be changed must not keep those behind it: smaller and smaller stretches find it, and it is passed over. */
    private Duration lookCloser(RuntimeException refusal) {
        if (!BatchSplitter.isOfARow(refusal)) {
            size = BatchLimit.outOfTime(refusal) ? Math.max(1, size / 2) : size;
            throw refusal;
        }
        if (size > 1) {
            size /= 2;
            return Duration.ZERO;
        }
        OptionalLong next = restart.next(behind);
        if (next.isEmpty()) {
            return end();
        }
        behind = next.getAsLong();
        log.error(
                "the wait of job {} should begin anew, because the database's clock was set back, and the server refuses that",
                behind,
                refusal);
        return Duration.ZERO;
    }

    private Duration end() {
        if (restarted > 0) {
            log.warn("the database's clock was set back: the waits of {} jobs began anew", restarted);
        }
        Duration rest = restarted > 0 ? ONCE_MORE : INTERVAL;
        behind = RestartWaits.FRONT;
        restarted = 0;
        return rest;
    }
}
