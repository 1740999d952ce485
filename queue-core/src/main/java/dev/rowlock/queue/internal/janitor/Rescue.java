package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.MoveBatches;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.janitor.RescueJobs.Rescued;
import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.lease.RemoveExpiredNodes;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares nodes dead whose lease has run out, moves their jobs out of running, and wakes the nodes that can run them. Runs when the first lease may have run out, which the answer to each heartbeat tells, and every 30 seconds in any case.
 */
public final class Rescue implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Rescue.class);

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration UNTIL_REGISTERED = Duration.ofSeconds(1);
    private static final Duration UNABLE = Duration.ofSeconds(1);

    /** A lease must have run out, not be about to. */
    private static final Duration MOMENT = Duration.ofMillis(5);

    /** Of looks for jobs that a rescue has missed. */
    private static final int REST_PER_WORK = 50;

    private final RemoveExpiredNodes removeExpired;
    private final OwnNode own;
    private final RescueJobs rescueJobs;
    private final int maxCrashes;
    private final JobObserver observer;
    private final Wakeups wakeups;
    private final MoveBatches batches = new MoveBatches("of dead nodes cannot be released", RescueJobs.LIMIT);
    private Trigger trigger = time -> {}; // written before the first run
    private boolean any; // job taken back by this run
    private boolean taking; // jobs of nodes that are gone may still be in running

    /** @param maxCrashes a job that brought down this many nodes is quarantined */
    public Rescue(
            RemoveExpiredNodes removeExpired,
            OwnNode own,
            RescueJobs rescueJobs,
            int maxCrashes,
            JobObserver observer,
            Wakeups wakeups) {
        this.removeExpired = removeExpired;
        this.own = own;
        this.rescueJobs = rescueJobs;
        this.maxCrashes = maxCrashes;
        this.observer = observer;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "rescue";
    }

    @Override
    public void triggeredBy(Trigger by) {
        trigger = by;
    }

    /** After this time, another node's lease runs out unless it is renewed. Any thread. */
    public void leaseEnds(Duration in) {
        trigger.within(in.plus(MOMENT));
    }

    @Override
    public Duration runOnce() {
        long judge = own.nodeId();
        List<Heartbeat> silent = judge == 0 ? List.of() : own.silentNodes();
        if (!silent.isEmpty()) {
            // From here on, whatever fails: also if only the answer is lost.
            taking = true;
            removeExpired
                    .run(judge, silent)
                    .forEach(name ->
                            log.warn("node '{}' is dead: no heartbeat for its whole lease; rescuing its jobs", name));
        }
        if (taking) {
            takeBack();
            if (!any) {
                tellObserver(0, 0); // of jobs that had ended the dead node may have told nobody
            }
            taking = false;
        }
        return judge == 0 ? UNTIL_REGISTERED : untilNextExpiry();
    }

    /** This run may have been planned before the beat that told of it. */
    private Duration untilNextExpiry() {
        Duration next = own.nextExpiry();
        if (next == null || next.compareTo(INTERVAL) > 0) {
            return INTERVAL;
        }
        // It is over, and this node could not judge: it has not watched for long enough.
        return next.compareTo(Duration.ZERO) > 0 ? next.plus(MOMENT) : UNABLE;
    }

    @Override
    public boolean punctual() {
        return true;
    }

    /**
     * The jobs that the first rescue has missed: those that a node claimed just when it was declared dead, and those of a rescuer that died itself. Once for all nodes: where each of
     * many nodes read all of running, that was a quarter of the server's work.
     */
    public Chore strayJobs(TakeChore take) {
        return new SharedChore(take, "stray jobs", INTERVAL, () -> {
            long begun = System.nanoTime();
            takeBack();
            return Chore.restAfter(begun, REST_PER_WORK, INTERVAL);
        });
    }

    /** Reads all of running. */
    void takeBack() {
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
