package dev.rowlock.queue.internal.rescue;

import dev.rowlock.queue.internal.store.batch.BatchLimit;
import dev.rowlock.queue.internal.store.batch.BatchSplitter;
import dev.rowlock.queue.internal.store.node.RescueJobs;
import dev.rowlock.queue.internal.store.node.RescueJobs.Rescued;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves the jobs of dead nodes out of running, and wakes the nodes that can run them. Reads all of running. */
public final class OrphanRescue {

    private static final Logger log = LoggerFactory.getLogger(OrphanRescue.class);

    private final RescueJobs rescueJobs;
    private final int maxCrashes;
    private final JobObserver observer;
    private final Wakeups wakeups;
    private final BatchLimit batch = new BatchLimit(RescueJobs.LIMIT);

    /** @param maxCrashes a job that brought down this many nodes is quarantined */
    public OrphanRescue(RescueJobs rescueJobs, int maxCrashes, JobObserver observer, Wakeups wakeups) {
        this.rescueJobs = rescueJobs;
        this.maxCrashes = maxCrashes;
        this.observer = observer;
        this.wakeups = wakeups;
    }

    void run() {
        boolean more = true;
        while (more) {
            int limit = batch.rows();
            try {
                more = told(rescueJobs.run(maxCrashes, limit)) >= limit;
            } catch (RuntimeException e) {
                boolean one = limit == 1 && BatchLimit.outOfTime(e);
                batch.failed(e);
                more = (one ? singly(e) : apart(e)) >= RescueJobs.LIMIT;
            }
            if (more) {
                batch.worked();
            }
        }
    }

    /** Returns how many there were. */
    private int apart(RuntimeException together) {
        BatchSplitter.requireAnswer(together);
        List<Long> orphans = rescueJobs.orphans();
        BatchSplitter.run(orphans, ids -> told(rescueJobs.run(maxCrashes, ids)), together)
                .forEach(OrphanRescue::tellLeft);
        return orphans.size();
    }

    /** The first alone takes longer than a statement may, and would be the first again. Returns how many there were. */
    private int singly(RuntimeException first) {
        List<Long> orphans = rescueJobs.orphans();
        BatchSplitter.singly(orphans, id -> told(rescueJobs.run(maxCrashes, List.of(id))), first)
                .forEach(OrphanRescue::tellLeft);
        return orphans.size();
    }

    private static void tellLeft(long id, RuntimeException refusal) {
        log.error(
                "cannot release job {} of a dead node: the database rejects the update; it stays in running, will retry",
                id,
                refusal);
    }

    private int told(List<Rescued> rescued) {
        rescued.forEach(this::tell);
        return rescued.stream().mapToInt(Rescued::jobs).sum();
    }

    private void tell(Rescued rescued) {
        log.warn(
                "queue '{}': rescued {} jobs of dead nodes; {} of them are quarantined because too many of their nodes died",
                rescued.queue(),
                rescued.jobs(),
                rescued.quarantined());
        try {
            observer.rescued(rescued.jobs(), rescued.quarantined());
        } catch (Throwable e) { // user code
            log.warn("an observer failed; the rescue is not affected", e);
        }
        wakeups.jobsBack(rescued.queue(), rescued.rank(), rescued.jobs() - rescued.quarantined());
        wakeups.keysReady(rescued.queue()); // some may have keys
    }
}
