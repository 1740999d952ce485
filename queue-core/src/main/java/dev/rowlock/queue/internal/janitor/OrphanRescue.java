package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.MoveBatches;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.janitor.RescueJobs.Rescued;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves the jobs of dead nodes out of running, and wakes the nodes that can run them. Reads all of running. */
public final class OrphanRescue {

    private static final Logger log = LoggerFactory.getLogger(OrphanRescue.class);

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final int REST_PER_WORK = 50;

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

    /**
     * The jobs that the first rescue has missed: those that a node claimed just when it was declared dead, and those of a rescuer that died itself. Once for all nodes: where each of
     * many nodes read all of running, that was a quarter of the server's work.
     */
    public Chore chore(TakeChore take) {
        return new SharedChore(take, "stray jobs", INTERVAL, () -> {
            long begun = System.nanoTime();
            run();
            return ProportionalRest.after(begun, REST_PER_WORK, INTERVAL);
        });
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
        new ReadyJobs(rescued.queue(), rescued.rank(), back, null).wakeBack(wakeups);
    }

    private void tellObserver(int jobs, int quarantined) {
        try {
            observer.rescued(jobs, quarantined);
        } catch (Throwable e) { // user code
            log.warn("an observer failed; the rescue is not affected", e);
        }
    }
}
