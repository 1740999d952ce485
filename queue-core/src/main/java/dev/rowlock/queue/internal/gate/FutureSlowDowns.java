package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.gate.RestartSlowDowns;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After the server's clock was set back: lets slow-downs begin anew that would last longer by as much. Each node that notices the step looks,
 * and each that starts, because nobody may have been there.
 */
final class FutureSlowDowns implements Chore {

    private static final Logger log = LoggerFactory.getLogger(FutureSlowDowns.class);

    private static final Duration INTERVAL = Duration.ofDays(1);

    /** What was asked for before the step may be committed after it. */
    private static final Duration ONCE_MORE = Duration.ofMinutes(1);

    private final RestartSlowDowns restart;

    FutureSlowDowns(RestartSlowDowns restart) {
        this.restart = restart;
    }

    @Override
    public String name() {
        return "slow-downs that began in the future";
    }

    @Override
    public boolean dueAfterClockStep() {
        return true;
    }

    @Override
    public Duration runOnce() {
        int restarted = restart.run();
        if (restarted == 0) {
            return INTERVAL;
        }
        log.warn("the database's clock was set back: {} slow-downs of rates began anew", restarted);
        return ONCE_MORE;
    }
}
