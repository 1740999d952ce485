package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.MoveBatches;
import dev.rowlock.queue.internal.janitor.OverdueStatements.Overdue;
import dev.rowlock.queue.internal.janitor.OverdueStatements.Taken;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs from handlers that ignore their deadline. Each node takes its own, by its monotonic clock; other nodes take them later if it does not.
 *
 * <p>The deadline in a job's row counts from its claim, its timeout from the start of its handler. In between, a job may wait for its
 * payload, for an interceptor, for a connection. So a node postpones the deadlines of the jobs that it holds and knows to be in
 * time, and the others leave it time to do so.
 */
public final class OverdueJobs implements Chore {

    private static final Logger log = LoggerFactory.getLogger(OverdueJobs.class);

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    /** What a node that does interrupt its handler needs to write down what came of it. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** By how much a node postpones a deadline: until several further looks. */
    private static final Duration POSTPONED = INTERVAL.multipliedBy(4);

    /** A node that postpones deadlines has looked twice by then. */
    private static final Duration GRACE_OF_OTHERS = GRACE.plus(INTERVAL.multipliedBy(2));

    private static final int BATCH = 1_000;

    private final OwnNode own;
    private final OverdueStatements statements;
    private final RetryPolicy retry;
    private final Wakeups wakeups;
    private final LongSupplier nanos;
    private final Elsewhere elsewhere = new Elsewhere(GRACE_OF_OTHERS);
    private final MoveBatches batches =
            new MoveBatches("that run after their deadline cannot be taken from their nodes", BATCH);

    /** @param nanos the monotonic clock */
    public OverdueJobs(
            OwnNode own, OverdueStatements statements, RetryPolicy retry, Wakeups wakeups, LongSupplier nanos) {
        this.own = own;
        this.statements = statements;
        this.retry = retry;
        this.wakeups = wakeups;
        this.nanos = nanos;
    }

    @Override
    public String name() {
        return "overdue jobs";
    }

    @Override
    public Duration runOnce() {
        long node = own.nodeId();
        List<OverdueClaim> ofOwn = own.overdue(GRACE);
        List<Overdue> looking = statements.find(GRACE);
        postpone(looking.stream().filter(job -> job.nodeId() == node).toList(), ofOwn);
        List<Overdue> ofOthers =
                looking.stream().filter(job -> job.nodeId() != node).toList();
        // Of calls on other nodes nothing is known.
        Stream<OverdueClaim> ofOtherNodes =
                elsewhere.among(ofOthers, nanos.getAsLong()).stream().map(OverdueClaim::alone);
        List<OverdueClaim> overdue = Stream.concat(ofOwn.stream(), ofOtherNodes).toList();
        Map<Long, List<OverdueClaim>> byJob = overdue.stream()
                .collect(Collectors.groupingBy(late -> late.claim().jobId(), LinkedHashMap::new, Collectors.toList()));
        batches.these(
                List.copyOf(byJob.keySet()),
                ids -> tell(take(ids.stream()
                        .flatMap(id -> byJob.getOrDefault(id, List.of()).stream())
                        .toList())));
        return INTERVAL;
    }

    private static void tell(int taken) {
        if (taken > 0) {
            log.warn(
                    "took {} jobs from their nodes: they were still running {} after their deadline",
                    taken,
                    DurationText.of(GRACE));
        }
    }

    /** Their keys, and the limits of their queues, have room now. */
    private int take(List<OverdueClaim> overdue) {
        List<Taken> taken = statements.take(overdue, retry.maxRetries(), retry.initialInterval());
        taken.forEach(ofQueue -> wakeups.keysReady(ofQueue.queue())); // some may have keys
        taken.stream()
                .flatMap(ofQueue -> Stream.ofNullable(ofQueue.again()))
                .min(Comparator.naturalOrder())
                .ifPresent(wakeups::jobsWaiting);
        return taken.stream().mapToInt(Taken::jobs).sum();
    }

    private void postpone(List<Overdue> looking, List<OverdueClaim> overdue) {
        if (looking.isEmpty()) {
            return;
        }
        Set<Long> held = LongStream.of(own.heldTokens()).boxed().collect(Collectors.toSet());
        overdue.forEach(late -> held.remove(late.claim().token()));
        List<Claim> inTime = looking.stream()
                .map(Overdue::claim)
                .filter(claim -> held.contains(claim.token()))
                .toList();
        statements.postpone(inTime, POSTPONED);
    }

    /**
     * Finds overdue jobs of other nodes: past their deadline, and their node, though it beats, has not taken them from their handlers. The server's clock
     * alone does not say so: if it is set forward by an hour, all jobs with a deadline look overdue. So one counts only when it has
     * looked overdue, under the same claim and deadline, for all the time that it may run, by the monotonic clock of this process.
     */
    static final class Elsewhere {

        private final Duration grace;
        private Map<Claim, Sight> sights = Map.of();

        Elsewhere(Duration grace) {
            this.grace = grace;
        }

        private record Sight(double deadline, long since) {}

        /** Returns the jobs that have looked overdue for long enough; remembers the others as long as they look overdue. */
        List<Claim> among(List<Overdue> overdue, long now) {
            Map<Claim, Sight> seen = new HashMap<>();
            List<Claim> late = new ArrayList<>();
            for (Overdue job : overdue) {
                Sight before = sights.get(job.claim());
                Sight sight =
                        before != null && before.deadline() == job.deadline() ? before : new Sight(job.deadline(), now);
                seen.put(job.claim(), sight);
                if (now - sight.since() >= job.allowed().plus(grace).toNanos()) {
                    late.add(job.claim());
                }
            }
            sights = seen;
            return late;
        }
    }
}
