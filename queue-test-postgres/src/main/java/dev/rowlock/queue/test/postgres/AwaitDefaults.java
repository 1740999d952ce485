package dev.rowlock.queue.test.postgres;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How tests wait unless they say otherwise: they look at once and then often, since a test that passes should not wait for its next
 * look, and for a minute, since a machine may be ten times slower than the one on which the test was written.
 */
public final class AwaitDefaults implements LauncherSessionListener {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration FIRST = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofMillis(50);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(LIMIT);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(AwaitDefaults::longer, FIRST));
    }

    private static Duration longer(Duration interval) {
        Duration next = interval.multipliedBy(3).dividedBy(2);
        return next.compareTo(LONGEST) < 0 ? next : LONGEST;
    }
}
