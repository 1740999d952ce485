package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.policy.PolicyStatements.Standing;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets policies veto claims: in queues whose policies decide, jobs are held until the policy chooses them. Claims of other queues
 * ask a map and nothing else. Thread-safe.
 */
final class PolicyQueues implements Admissions {

    private static final Logger log = LoggerFactory.getLogger(PolicyQueues.class);

    private static final int BATCH = 500;

    private final Collection<String> own;
    private final Duration expected;
    private final PolicyStatements statements;
    private final Map<String, Long> until = new ConcurrentHashMap<>(); // monotonic
    private final Map<String, Runnable> triggers = new ConcurrentHashMap<>(); // of the chores that ask policies here
    private volatile boolean known;

    /**
     * @param own the queues whose policies this node has
     * @param expected their jobs wait for a first answer for so long
     */
    PolicyQueues(Collection<String> own, Duration expected, PolicyStatements statements) {
        this.own = List.copyOf(own);
        this.expected = expected;
        this.statements = statements;
    }

    /** Called at the start of a node: it reads the policies before its first claim, so that no job runs before the first answer. */
    void forget() {
        known = false;
        until.clear();
    }

    /** Reads which policies decide. Returns all policies. */
    List<Standing> look() {
        if (!known) {
            own.forEach(queue -> statements.expect(queue, expected));
        }
        long now = System.nanoTime();
        List<Standing> all = statements.standings();
        all.forEach(standing -> decides(standing.queue(), now, standing.left()));
        Set<String> there = all.stream().map(Standing::queue).collect(Collectors.toSet());
        until.keySet().retainAll(there);
        known = true;
        return all;
    }

    /** The policy decides for so long from then on. */
    void decides(String queue, long from, Duration left) {
        until.put(queue, from + left.toNanos());
    }

    /** Called when jobs of this queue were held here, or claimed. */
    void whenMoved(String queue, Runnable trigger) {
        triggers.put(queue, trigger);
    }

    @Override
    public boolean hold(String queue) {
        if (!known) {
            look();
        }
        if (!concerns(queue)) {
            return false;
        }
        int held = held(queue);
        if (held > 0) {
            moved(queue);
        }
        return held >= BATCH;
    }

    private boolean concerns(String queue) {
        if (!known) {
            return true;
        }
        Long end = until.get(queue);
        return end != null && end - System.nanoTime() > 0;
    }

    private int held(String queue) {
        try {
            return statements.hold(queue, BATCH);
        } catch (RuntimeException e) {
            if (!BatchSplitter.isOfARow(e)) {
                throw e;
            }
            log.debug("queue '{}': holding jobs for the policy in one batch failed; claims hold them", queue, e);
            return 0;
        }
    }

    @Override
    public List<ClaimedJob> admitted(String queue, List<ClaimedJob> claimed) {
        if (claimed.isEmpty() || !concerns(queue)) {
            return claimed;
        }
        List<Claim> claims = claimed.stream().map(ClaimedJob::claim).toList();
        Set<Long> over = over(queue, claims);
        moved(queue);
        return over.isEmpty()
                ? claimed
                : claimed.stream()
                        .filter(job -> !over.contains(job.claim().token()))
                        .toList();
    }

    /** One that the server refuses to hold must not keep the others: it runs. */
    private Set<Long> over(String queue, List<Claim> claims) {
        try {
            return statements.holdClaimed(queue, claims);
        } catch (RuntimeException e) {
            Set<Long> over = new HashSet<>();
            BatchSplitter.refused(claims, some -> over.addAll(statements.holdClaimed(queue, some)), e)
                    .forEach((claim, why) -> log.error(
                            "queue '{}': cannot hold job {} for the policy: the database rejects the update; the job runs without the policy",
                            queue,
                            claim.jobId(),
                            why));
            return over;
        }
    }

    private void moved(String queue) {
        Runnable trigger = triggers.get(queue);
        if (trigger != null) {
            trigger.run();
        }
    }
}
