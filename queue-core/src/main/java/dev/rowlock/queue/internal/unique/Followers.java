package dev.rowlock.queue.internal.unique;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.unique.ReleaseFollowers;
import dev.rowlock.queue.internal.store.unique.ReleaseFollowers.Stretch;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;

/** Makes jobs due that run once more after another one, soon after that one's end. */
final class Followers implements Chore {

    private static final int STRETCH = 1_000;

    /** What waits may have come while this node did not hear of it. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(15);

    /** While a job waits for the end of another one. */
    private static final Duration REST_BEFORE_END = Duration.ofMillis(250);

    private final ReleaseFollowers release;
    private final Wakeups wakeups;
    private long behind = ReleaseFollowers.FRONT;
    private int left;

    Followers(ReleaseFollowers release, Wakeups wakeups) {
        this.release = release;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "once more";
    }

    @Override
    public boolean dueAfterChange() {
        return true;
    }

    @Override
    public Duration runOnce() {
        Stretch stretch = release.run(behind, STRETCH);
        if (stretch.released() > 0) {
            wakeups.jobsWaiting(Duration.ZERO);
        }
        left += stretch.left();
        if (stretch.end() != null) {
            behind = stretch.end();
            return Duration.ZERO;
        }
        boolean some = left > 0;
        behind = ReleaseFollowers.FRONT;
        left = 0;
        return some ? REST_BEFORE_END : LONGEST_REST;
    }
}
