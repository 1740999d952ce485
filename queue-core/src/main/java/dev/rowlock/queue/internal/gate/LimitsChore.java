package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.gate.CountRunningJobs;
import dev.rowlock.queue.internal.store.gate.DeclareLimits;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/** Stores what the application declares, when the node starts; later only what somebody has removed. Then counts what runs against new limits. */
final class LimitsChore implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final DeclareLimits declare;
    private final CountRunningJobs count;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final Collection<String> queues;
    private final LongSupplier nodeId;
    private boolean stored;

    LimitsChore(
            DeclareLimits declare,
            CountRunningJobs count,
            Wakeups wakeups,
            Collection<QueueLimit> declared,
            Collection<String> queues,
            LongSupplier nodeId) {
        this.declare = declare;
        this.count = count;
        this.wakeups = wakeups;
        this.declared = declared;
        this.queues = queues;
        this.nodeId = nodeId;
    }

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public Duration runOnce() {
        List<String> changed = List.of();
        if (!stored) {
            changed = declare.anew(declared, queues);
            stored = true;
        } else if (!declared.isEmpty()) {
            changed = declare.again(declared, nodeId.getAsLong());
        }
        count.run();
        changed.forEach(wakeups::keysReady);
        return INTERVAL;
    }
}
