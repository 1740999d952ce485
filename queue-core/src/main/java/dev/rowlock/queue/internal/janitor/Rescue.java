package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.RemoveExpiredNodes;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares nodes dead whose lease has run out, and takes back their jobs. Runs when the first lease may have run out, which
 * each heartbeat's answer tells, and now and then in any case.
 */
final class Rescue implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Rescue.class);

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration UNTIL_REGISTERED = Duration.ofSeconds(1);

    private final RemoveExpiredNodes removeExpired;
    private final Duration gap;
    private final LongSupplier nodeId;
    private final TakeBack takeBack;

    /**
     * @param gap the longest silence after which this node still counts as steady
     * @param nodeId 0 while this node has no lease, and may judge nobody
     */
    Rescue(RemoveExpiredNodes removeExpired, Duration gap, LongSupplier nodeId, TakeBack takeBack) {
        this.removeExpired = removeExpired;
        this.gap = gap;
        this.nodeId = nodeId;
        this.takeBack = takeBack;
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
        List<String> dead = removeExpired.run(judge, gap);
        if (!dead.isEmpty()) {
            dead.forEach(
                    name -> log.warn("node '{}' has not beaten for its whole lease: its jobs are taken back", name));
            takeBack.run();
        }
        return INTERVAL;
    }
}
