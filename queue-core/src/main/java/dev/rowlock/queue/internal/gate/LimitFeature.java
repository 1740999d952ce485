package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chores for limits on each node, and slow-downs. Claims keep the limits. */
public final class LimitFeature implements Feature {

    private static final Logger log = LoggerFactory.getLogger(LimitFeature.class);

    private final Database database;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final LimitsBeforeClaims first;
    private final Set<String> withoutRate = ConcurrentHashMap.newKeySet(); // said once of each queue

    /**
     * @param declared by the application
     * @param queues whose jobs it runs
     * @param others what else is decided about claims
     */
    public LimitFeature(
            Database database,
            Wakeups wakeups,
            Collection<QueueLimit> declared,
            Collection<String> queues,
            Admissions others) {
        this.database = database;
        this.wakeups = wakeups;
        this.declared = List.copyOf(declared);
        this.first = new LimitsBeforeClaims(
                new DeclareLimits(database), wakeups, this.declared, List.copyOf(queues), others);
    }

    /** Stores declared limits before the first claim of a queue. */
    public Admissions admissions() {
        return first;
    }

    /** Slows down all jobs of this job's key, or of its queue. */
    public void slowDown(ClaimedJob job, Duration retryAfter) {
        boolean slowed = new HoldGate(database).run(job.queue(), job.key(), retryAfter);
        if (!slowed && withoutRate.add(job.queue())) {
            log.warn(
                    "queue '{}': a listener threw SlowDownException, but the queue has no rate, so only that job waits; give the queue a rate, or a rate per key, if others are to wait as well",
                    job.queue());
        }
    }

    @Override
    public String name() {
        return "gates";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        first.forget();
        return List.of(new LimitsChore(
                new DeclareLimits(database), new CountRunningJobs(database), wakeups, declared, first, node::nodeId));
    }

    /**
     * Stores the limits that the application declares: all when the node starts, later only those that were removed. Then counts
     * running jobs against new limits.
     */
    private static final class LimitsChore implements Chore {

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
}
