package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/** Stores the limits that the application declares: all when the node starts, later only those that were removed. Then counts running jobs against new limits. */
final class LimitsChore implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final DeclareLimits declare;
    private final CountRunningJobs count;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final LimitsBeforeClaims first;
    private final LongSupplier nodeId;

    LimitsChore(
            DeclareLimits declare,
            CountRunningJobs count,
            Wakeups wakeups,
            Collection<QueueLimit> declared,
            LimitsBeforeClaims first,
            LongSupplier nodeId) {
        this.declare = declare;
        this.count = count;
        this.wakeups = wakeups;
        this.declared = declared;
        this.first = first;
        this.nodeId = nodeId;
    }

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public Duration runOnce() {
        List<String> changed =
                first.store() && !declared.isEmpty() ? declare.again(declared, nodeId.getAsLong()) : List.of();
        count.run();
        changed.forEach(wakeups::keysReady);
        return INTERVAL;
    }
}
