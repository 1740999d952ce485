package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.gate.DeclareLimits;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Stores what the application declares, when the node starts; later only what somebody has removed. */
final class DeclaredLimits implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final DeclareLimits declare;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final Collection<String> queues;
    private boolean stored;

    DeclaredLimits(DeclareLimits declare, Wakeups wakeups, Collection<QueueLimit> declared, Collection<String> queues) {
        this.declare = declare;
        this.wakeups = wakeups;
        this.declared = declared;
        this.queues = queues;
    }

    @Override
    public String name() {
        return "declared limits";
    }

    @Override
    public Duration runOnce() {
        List<String> changed = List.of();
        if (!stored) {
            changed = declare.anew(declared, queues);
            stored = true;
        } else if (!declared.isEmpty()) {
            changed = declare.again(declared);
        }
        changed.forEach(wakeups::keysReady);
        return INTERVAL;
    }
}
