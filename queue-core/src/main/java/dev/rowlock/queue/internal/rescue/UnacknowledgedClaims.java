package dev.rowlock.queue.internal.rescue;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.batch.BatchLimit;
import dev.rowlock.queue.internal.store.batch.BatchSplitter;
import dev.rowlock.queue.internal.store.claim.ReleaseStrandedJobs;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases jobs that this node has claimed without knowing it, because the answer of the claim was lost. Reads all of running: soon after a claim has failed, otherwise the more rarely the more nodes there are.
 */
public final class UnacknowledgedClaims implements Chore {

    private static final Logger log = LoggerFactory.getLogger(UnacknowledgedClaims.class);

    /** An answer that takes longer than this is given up. If it comes after all, the tokens protect the jobs. */
    static final Duration AGE = Duration.ofSeconds(10);

    /** So long after a claim has failed for this node, the server may still be at work on it. */
    private static final Duration SUSPICION = Duration.ofMinutes(1);

    /** For each node that there is. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private static final Duration TELL_AGAIN = Duration.ofHours(1);

    private static final int REST_PER_WORK = 50;

    private final ReleaseStrandedJobs release;
    private final OwnNode own;
    private final Wakeups wakeups;
    private final TokenMarks marks = new TokenMarks();
    private final BatchLimit batch = new BatchLimit(ReleaseStrandedJobs.LIMIT);
    private long tellAgainAt = System.nanoTime(); // of one that is refused
    private volatile long suspiciousUntil = System.nanoTime();

    public UnacknowledgedClaims(ReleaseStrandedJobs release, OwnNode own, Wakeups wakeups) {
        this.release = release;
        this.own = own;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "stranded claims";
    }

    /** A claim has failed; it may have been committed. Any thread. */
    public void claimFailed() {
        suspiciousUntil = System.nanoTime() + SUSPICION.toNanos();
    }

    @Override
    public Duration runOnce() {
        int nodes = own.place().nodes();
        Duration interval = suspiciousUntil - System.nanoTime() > 0 ? AGE : INTERVAL.multipliedBy(nodes);
        long node = own.nodeId();
        if (node == 0) {
            return interval;
        }
        long begun = System.nanoTime();
        Long upTo = marks.olderThan(AGE, begun);
        marks.note(release.lastToken(), begun);
        if (upTo != null) {
            release(node, upTo);
        }
        return ProportionalRest.after(begun, REST_PER_WORK * nodes, interval);
    }

    public void release(long node, long upTo) {
        long[] held = own.heldTokens();
        boolean more = true;
        while (more) {
            int limit = batch.rows();
            try {
                more = told(release.run(node, upTo, held, limit)) >= limit;
            } catch (RuntimeException e) {
                batch.failed(e);
                Consumer<List<Long>> named = ids -> told(release.named(node, upTo, held, ids));
                apart(() -> release.stranded(node, upTo, held), named, limit, e).forEach(this::tellRefused);
                return;
            }
            if (more) {
                batch.worked();
            }
        }
    }

    /** If one alone takes longer than a statement may, it would be the first again. */
    private static Map<Long, RuntimeException> apart(
            Supplier<List<Long>> stranded, Consumer<List<Long>> named, int limit, RuntimeException e) {
        if (limit == 1 && BatchLimit.outOfTime(e)) {
            return BatchSplitter.singly(stranded.get(), id -> named.accept(List.of(id)), e);
        }
        BatchSplitter.requireAnswer(e);
        return BatchSplitter.refused(stranded.get(), named, e);
    }

    /** Its node keeps its lease, so no other node rescues it. */
    private void tellRefused(long id, RuntimeException refusal) {
        if (tellAgainAt - System.nanoTime() <= 0) {
            tellAgainAt = System.nanoTime() + TELL_AGAIN.toNanos();
            log.error(
                    "cannot release job {} of an unacknowledged claim: the database rejects the update; it stays in running, will retry",
                    id,
                    refusal);
        }
    }

    private int told(List<ReleaseStrandedJobs.Released> released) {
        released.forEach(this::tell);
        return released.stream().mapToInt(ReleaseStrandedJobs.Released::jobs).sum();
    }

    private void tell(ReleaseStrandedJobs.Released released) {
        log.warn(
                "queue '{}': released {} jobs of claims whose answer was lost; they are ready again",
                released.queue(),
                released.jobs());
        wakeups.jobsBack(released.queue(), released.rank(), released.jobs());
        wakeups.keysReady(released.queue()); // some may have keys
    }
}
