package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.RemoveExpiredNodes;
import dev.rowlock.queue.internal.store.RescueJobs;
import dev.rowlock.queue.internal.store.RescueJobs.Rescued;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares nodes dead whose lease has run out, and takes back the jobs of nodes that are not there. Runs when the first lease
 * may have run out, which each heartbeat's answer tells, and now and then in any case.
 */
final class Rescue implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Rescue.class);

    /** Looking for strays reads all of running: rarely, and never for more than a fiftieth of the time. */
    private static final Duration STRAYS = Duration.ofSeconds(30);

    private static final int REST_PER_WORK = 50;

    private static final Duration UNTIL_REGISTERED = Duration.ofSeconds(1);

    private final RemoveExpiredNodes removeExpired;
    private final RescueJobs rescueJobs;
    private final RescuePolicy policy;
    private final LongSupplier nodeId;
    private final JobObserver observer;
    private final Wakeups wakeups;
    private long straysAt = System.nanoTime();

    /** {@code nodeId} is 0 while this node has no lease, and may judge nobody. */
    Rescue(
            RemoveExpiredNodes removeExpired,
            RescueJobs rescueJobs,
            RescuePolicy policy,
            LongSupplier nodeId,
            JobObserver observer,
            Wakeups wakeups) {
        this.removeExpired = removeExpired;
        this.rescueJobs = rescueJobs;
        this.policy = policy;
        this.nodeId = nodeId;
        this.observer = observer;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "rescue";
    }

    @Override
    public Duration runOnce() {
        long judge = nodeId.getAsLong();
        if (judge == 0) {
            return UNTIL_REGISTERED;
        }
        List<String> dead = removeExpired.run(judge, policy.gap());
        dead.forEach(name -> log.warn("node '{}' has not beaten for its whole lease: its jobs are taken back", name));
        if (!dead.isEmpty() || System.nanoTime() - straysAt >= 0) {
            takeBack();
        }
        return Duration.ofNanos(Math.max(0, straysAt - System.nanoTime()));
    }

    private void takeBack() {
        long begun = System.nanoTime();
        int jobs;
        do {
            List<Rescued> rescued = rescueJobs.run(policy.maxCrashes());
            jobs = rescued.stream().mapToInt(Rescued::jobs).sum();
            rescued.forEach(this::tell);
        } while (jobs >= RescueJobs.LIMIT);
        long took = System.nanoTime() - begun;
        straysAt = System.nanoTime() + Math.max(STRAYS.toNanos(), REST_PER_WORK * took);
    }

    private void tell(Rescued rescued) {
        log.warn(
                "queue '{}': {} jobs of dead nodes taken back, {} of them quarantined because they brought down too many",
                rescued.queue(),
                rescued.jobs(),
                rescued.quarantined());
        try {
            observer.rescued(rescued.jobs(), rescued.quarantined());
        } catch (Throwable e) { // user code
            log.warn("an observer failed; the rescue is not affected", e);
        }
        wakeups.jobsReady(rescued.queue(), rescued.rank());
    }
}
