package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.MoveBatches;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases jobs that this node has claimed without knowing it, because the answer of the claim was lost. Reads all of running: each ten seconds for a minute after
 * a claim has failed, so that its jobs go back ten to eleven seconds after that; otherwise the more rarely the more nodes there are, and the longer reading takes.
 */
public final class UnacknowledgedClaims implements Chore {

    private static final Logger log = LoggerFactory.getLogger(UnacknowledgedClaims.class);

    /** An answer that takes longer than this is given up. If it comes after all, the tokens protect the jobs. */
    static final Duration AGE = Duration.ofSeconds(10);

    /** So long after a claim has failed for this node, the server may still be at work on it. */
    private static final Duration SUSPICION = Duration.ofMinutes(1);

    /** For each node that there is. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    /** For each node that there is. */
    private static final int REST_PER_WORK = 50;

    /** A server that is slow because something is wrong must not keep jobs from going back. */
    private static final int REST_PER_WORK_AFTER_FAILURE = 4;

    private final ReleaseStrandedJobs release;
    private final OwnNode own;
    private final Wakeups wakeups;
    private final TokenMarks marks = new TokenMarks();
    private final MoveBatches batches =
            new MoveBatches("of claims whose answer was lost cannot be released", ReleaseStrandedJobs.LIMIT);
    private Trigger trigger = time -> {}; // written before the first run
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

    @Override
    public void triggeredBy(Trigger by) {
        trigger = by;
    }

    /** A claim has failed; it may have been committed. Notes at once which claims there are; it looks for them later. Any thread. */
    public void claimFailed() {
        suspiciousUntil = System.nanoTime() + SUSPICION.toNanos();
        trigger.now();
    }

    @Override
    public Duration runOnce() {
        long begun = System.nanoTime();
        long node = own.nodeId();
        if (node != 0) {
            Long upTo = marks.olderThan(AGE, begun);
            marks.note(release.lastToken(), begun);
            if (upTo != null) {
                release(node, upTo);
            }
        }
        long now = System.nanoTime();
        return rest(Duration.ofNanos(now - begun), own.place().nodes(), suspiciousUntil - now > 0);
    }

    /** @param claimFailed whether one has failed within the last minute */
    static Duration rest(Duration work, int nodes, boolean claimFailed) {
        return claimFailed
                ? Chore.restBehind(work, REST_PER_WORK_AFTER_FAILURE, AGE)
                : Chore.restBehind(work, REST_PER_WORK * nodes, INTERVAL.multipliedBy(nodes));
    }

    public void release(long node, long upTo) {
        long[] held = own.heldTokens();
        batches.all(
                limit -> told(release.run(node, upTo, held, limit)),
                () -> release.stranded(node, upTo, held),
                ids -> told(release.named(node, upTo, held, ids)));
    }

    private int told(List<ReadyJobs> released) {
        released.forEach(this::tell);
        return (int) released.stream().mapToLong(ReadyJobs::jobs).sum();
    }

    private void tell(ReadyJobs released) {
        log.warn(
                "queue '{}': released {} jobs of claims whose answer was lost; they are ready again",
                released.queue(),
                released.jobs());
        released.wakeBack(wakeups);
    }

    /**
     * Ages of claim tokens by the monotonic clock of this process: notes now and then which token was the last. Not thread-safe.
     */
    static final class TokenMarks {

        private record Mark(long token, long at) {}

        private final Deque<Mark> marks = new ArrayDeque<>();

        /** This was the last token then. */
        void note(long token, long at) {
            marks.addLast(new Mark(token, at));
        }

        /** The last token that was noted so long ago; null if none was. What is older is forgotten. */
        @Nullable
        Long olderThan(Duration age, long now) {
            Long last = null;
            while (!marks.isEmpty() && now - marks.getFirst().at() >= age.toNanos()) {
                last = marks.removeFirst().token();
            }
            return last;
        }
    }
}
