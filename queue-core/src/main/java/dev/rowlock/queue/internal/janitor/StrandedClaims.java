package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.ReleaseStrandedJobs;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives back what this node has claimed without knowing it, because the claim's answer was lost on the way. */
final class StrandedClaims implements Chore {

    private static final Logger log = LoggerFactory.getLogger(StrandedClaims.class);

    /** An answer that takes longer than this is given up. If it comes after all, the tokens protect the jobs. */
    private static final Duration AGE = Duration.ofSeconds(10);

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final int REST_PER_WORK = 50;

    private final ReleaseStrandedJobs release;
    private final OwnClaims own;
    private final Wakeups wakeups;

    StrandedClaims(ReleaseStrandedJobs release, OwnClaims own, Wakeups wakeups) {
        this.release = release;
        this.own = own;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "stranded claims";
    }

    @Override
    public Duration runOnce() {
        long node = own.nodeId();
        if (node == 0) {
            return INTERVAL;
        }
        long begun = System.nanoTime();
        List<ReleaseStrandedJobs.Released> released = release.run(node, AGE, own.heldTokens());
        for (ReleaseStrandedJobs.Released queue : released) {
            log.warn(
                    "queue '{}': {} jobs had been claimed by a statement whose answer was lost; they are ready again",
                    queue.queue(),
                    queue.jobs());
            wakeups.jobsReady(queue.queue(), queue.rank());
        }
        Duration slow = Duration.ofNanos(System.nanoTime() - begun).multipliedBy(REST_PER_WORK);
        return slow.compareTo(INTERVAL) > 0 ? slow : INTERVAL;
    }
}
