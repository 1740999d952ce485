package dev.rowlock.queue.internal.workflow;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where a look has last found a job that has not ended, of a step, of a workflow, or of the steps before a step. The next look begins there, and goes round. So
 * looks at a step with a million jobs walk past each that has ended once or twice together, in whatever order they end. Only a hint: wherever a look begins,
 * it looks everywhere. Remembers a thousand. Thread-safe.
 *
 * @param <K> whose jobs they are
 */
final class OpenJobs<K> {

    private static final int MOST = 1_000;

    /** A job of a step. */
    record OpenJob(int step, long job) {

        /** Behind all others: a look begins with the last one. */
        static final OpenJob END = new OpenJob(Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    private final Map<K, OpenJob> found = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, OpenJob> eldest) {
            return size() > MOST;
        }
    };

    synchronized OpenJob last(K whose) {
        return found.getOrDefault(whose, OpenJob.END);
    }

    /** Those that it remembers of some. */
    synchronized Map<K, OpenJob> of(Predicate<K> which) {
        Map<K, OpenJob> some = new LinkedHashMap<>(found);
        some.keySet().removeIf(which.negate());
        return some;
    }

    /** @param place null: all jobs have ended */
    synchronized void found(K whose, @Nullable OpenJob place) {
        if (place == null) {
            found.remove(whose);
        } else {
            found.put(whose, place);
        }
    }
}
