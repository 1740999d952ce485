package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.spi.Wakeups;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Stores the limits that the application declares before anything is claimed in their queues: jobs would begin without them. The
 * chore or the first claim does so, whichever runs first. Thread-safe.
 */
final class LimitsBeforeClaims implements Admissions {

    private final DeclareLimits declare;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final Set<String> limited;
    private final Collection<String> queues;
    private final Admissions others;
    private volatile boolean stored;

    /**
     * @param queues whose jobs the application runs
     * @param others what else is decided about claims
     */
    LimitsBeforeClaims(
            DeclareLimits declare,
            Wakeups wakeups,
            Collection<QueueLimit> declared,
            Collection<String> queues,
            Admissions others) {
        this.declare = declare;
        this.wakeups = wakeups;
        this.declared = declared;
        this.limited = declared.stream().map(QueueLimit::queue).collect(Collectors.toUnmodifiableSet());
        this.queues = queues;
        this.others = others;
    }

    /** The application starts. */
    void forget() {
        stored = false;
    }

    /** Stores them, unless that is done. Returns whether it was. */
    synchronized boolean store() {
        boolean before = stored;
        if (!before) {
            List<String> changed = declare.anew(declared, queues);
            stored = true;
            changed.forEach(wakeups::keysReady);
        }
        return before;
    }

    @Override
    public boolean hold(String queue) {
        if (!stored && limited.contains(queue)) {
            store();
        }
        return others.hold(queue);
    }

    @Override
    public List<ClaimedJob> admitted(String queue, List<ClaimedJob> claimed) {
        return others.admitted(queue, claimed);
    }
}
