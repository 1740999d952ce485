package dev.rowlock.queue.internal.rescue;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.store.BatchLimit;
import dev.rowlock.queue.internal.store.BatchSplitter;
import dev.rowlock.queue.internal.store.node.FindOverdueJobs;
import dev.rowlock.queue.internal.store.node.FindOverdueJobs.Overdue;
import dev.rowlock.queue.internal.store.node.TakeOverdueJobs;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs from handlers that ignore their deadline. Each node takes its own, by its monotonic clock; those of a node that
 * does not, any other takes, later.
 */
public final class OverdueJobs implements Chore {

    private static final Logger log = LoggerFactory.getLogger(OverdueJobs.class);

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    /** What a node that does interrupt its handler needs to write down what came of it. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final int BATCH = 1_000;

    private final OwnNode own;
    private final FindOverdueJobs find;
    private final TakeOverdueJobs take;
    private final RetryPolicy retry;
    private final NeglectedJobs neglected = new NeglectedJobs(GRACE);
    private final BatchLimit batch = new BatchLimit(BATCH);

    public OverdueJobs(OwnNode own, FindOverdueJobs find, TakeOverdueJobs take, RetryPolicy retry) {
        this.own = own;
        this.find = find;
        this.take = take;
        this.retry = retry;
    }

    @Override
    public String name() {
        return "overdue jobs";
    }

    @Override
    public Duration runOnce() {
        List<Claim> overdue =
                Stream.concat(own.overdue(GRACE).stream(), ofOthers().stream()).toList();
        for (int from = 0; from < overdue.size(); ) {
            List<Claim> some = overdue.subList(from, Math.min(from + batch.rows(), overdue.size()));
            tell(take(some));
            from += some.size();
        }
        return INTERVAL;
    }

    private static void tell(int taken) {
        if (taken > 0) {
            log.warn(
                    "{} jobs were still running {} after their deadline: they were taken from their nodes",
                    taken,
                    GRACE);
        }
    }

    private int take(List<Claim> overdue) {
        try {
            int taken = take.run(overdue, retry.maxRetries(), retry.initialInterval());
            batch.worked();
            return taken;
        } catch (RuntimeException e) {
            batch.failed(e);
            AtomicInteger taken = new AtomicInteger();
            BatchSplitter.run(
                            overdue,
                            some -> taken.addAndGet(take.run(some, retry.maxRetries(), retry.initialInterval())),
                            e)
                    .forEach((claim, refusal) -> log.error(
                            "overdue job {} cannot be taken from its node, unlike others", claim.jobId(), refusal));
            return taken.get();
        }
    }

    private List<Claim> ofOthers() {
        long node = own.nodeId();
        List<Overdue> looking =
                find.run(GRACE).stream().filter(job -> job.nodeId() != node).toList();
        return neglected.among(looking, System.nanoTime());
    }
}
