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
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What nodes do for limits beside their claims, which keep them: slow-downs, a chore, and the limits that the application declares. These are stored before
 * anything is claimed in their queues: jobs would begin without them. The chore or the first claim does so, whichever runs first. Thread-safe.
 */
public final class LimitFeature implements Feature, Admissions {

    private static final Logger log = LoggerFactory.getLogger(LimitFeature.class);

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final DeclareLimits declare;
    private final LimitStatements statements;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final Set<String> limited;
    private final Collection<String> queues;
    private final Admissions others;
    private final Set<String> withoutRate = ConcurrentHashMap.newKeySet(); // said once of each queue
    private volatile boolean stored;

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
        this.declare = new DeclareLimits(database);
        this.statements = new LimitStatements(database);
        this.wakeups = wakeups;
        this.declared = List.copyOf(declared);
        this.limited = declared.stream().map(QueueLimit::queue).collect(Collectors.toUnmodifiableSet());
        this.queues = List.copyOf(queues);
        this.others = others;
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

    /** Slows down all jobs of this job's key, or of its queue. */
    public void slowDown(ClaimedJob job, Duration retryAfter) {
        boolean slowed = statements.slowDown(job.queue(), job.key(), retryAfter, null);
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
        stored = false; // the application starts
        return List.of(new LimitsChore(node));
    }

    /** Stores what is declared, unless that is done. Returns whether it was. */
    private synchronized boolean store() {
        boolean before = stored;
        if (!before) {
            List<String> changed = declare.anew(declared, queues);
            stored = true;
            changed.forEach(wakeups::keysReady);
        }
        return before;
    }

    /** Stores declared limits again that were removed. Then counts running jobs against new limits. */
    private final class LimitsChore implements Chore {

        private final OwnNode node;

        LimitsChore(OwnNode node) {
            this.node = node;
        }

        @Override
        public String name() {
            return "limits";
        }

        @Override
        public Duration runOnce() {
            List<String> changed = store() && !declared.isEmpty() ? declare.again(declared, node.nodeId()) : List.of();
            statements.countRunning();
            changed.forEach(wakeups::keysReady);
            return INTERVAL;
        }
    }
}
