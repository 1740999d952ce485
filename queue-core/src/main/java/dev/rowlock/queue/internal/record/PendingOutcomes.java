package dev.rowlock.queue.internal.record;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Outcomes that have come since the last write. Anybody adds, one thread takes. */
final class PendingOutcomes {

    /** A write with more characters of results than this gets no more outcomes: it lies in memory several times. */
    private static final long RESULTS = 4L << 20;

    private final Queue<PendingOutcome> queue = new ConcurrentLinkedQueue<>();

    boolean isEmpty() {
        return queue.isEmpty();
    }

    void add(PendingOutcome outcome) {
        queue.add(outcome);
    }

    /** Moves so many at most, fewer if their results are long. */
    void moveTo(List<PendingOutcome> batch, int most) {
        long results = 0;
        for (int i = 0; i < most && results < RESULTS; i++) {
            PendingOutcome next = queue.peek();
            if (next == null) {
                break;
            }
            results += next.resultLength();
            batch.add(next); // where there is no memory for that, it stays where it is
            queue.poll();
        }
    }
}
