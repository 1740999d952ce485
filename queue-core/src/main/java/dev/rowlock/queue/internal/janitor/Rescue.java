package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.lease.RemoveExpiredNodes;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares nodes dead whose lease has run out, and rescues their jobs. Runs when the first lease may have run out, which the answer to each heartbeat tells, and every 30 seconds in any case.
 */
public final class Rescue implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Rescue.class);

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration UNTIL_REGISTERED = Duration.ofSeconds(1);
    private static final Duration UNABLE = Duration.ofSeconds(1);

    /** A lease must have run out, not be about to. */
    private static final Duration MOMENT = Duration.ofMillis(5);

    private final RemoveExpiredNodes removeExpired;
    private final OwnNode own;
    private final OrphanRescue orphanRescue;
    private Trigger trigger = time -> {}; // written before the first run
    private boolean taking; // jobs of nodes that are gone may still be in running

    public Rescue(RemoveExpiredNodes removeExpired, OwnNode own, OrphanRescue orphanRescue) {
        this.removeExpired = removeExpired;
        this.own = own;
        this.orphanRescue = orphanRescue;
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
            orphanRescue.afterDeath();
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
}
