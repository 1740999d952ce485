package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.MoveBatches;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.janitor.RescueJobs.Rescued;
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
    private final MoveBatches batches = new MoveBatches("of dead nodes cannot be released", RescueJobs.LIMIT);
    private boolean any; // taken back by this run

    /** @param maxCrashes a job that brought down this many nodes is quarantined */
    public OrphanRescue(RescueJobs rescueJobs, int maxCrashes, JobObserver observer, Wakeups wakeups) {
        this.rescueJobs = rescueJobs;
        this.maxCrashes = maxCrashes;
        this.observer = observer;
        this.wakeups = wakeups;
    }

    /** Nodes were declared dead. Of jobs that had ended they may have told nobody, also if they held no others. */
    void afterDeath() {
        run();
        if (!any) {
            tellObserver(0, 0);
        }
    }

    void run() {
        any = false;
        batches.all(
                limit -> told(rescueJobs.run(maxCrashes, limit)),
                rescueJobs::orphans,
                ids -> told(rescueJobs.run(maxCrashes, ids)));
    }

    private int told(List<Rescued> rescued) {
        rescued.forEach(this::tell);
        return rescued.stream().mapToInt(Rescued::jobs).sum();
    }

    private void tell(Rescued rescued) {
        any = true;
        log.warn(
                "queue '{}': rescued {} jobs of dead nodes; {} of them are quarantined because too many of their nodes died",
                rescued.queue(),
                rescued.jobs(),
                rescued.quarantined());
        tellObserver(rescued.jobs(), rescued.quarantined());
        int back = rescued.jobs() - rescued.quarantined();
        new ReadyJobs(rescued.queue(), rescued.rank(), back, true).wakeBack(wakeups); // some may have keys
    }

    private void tellObserver(int jobs, int quarantined) {
        try {
            observer.rescued(jobs, quarantined);
        } catch (Throwable e) { // user code
            log.warn("an observer failed; the rescue is not affected", e);
        }
    }
}
