package dev.rowlock.queue.chunk;

import dev.rowlock.queue.job.Outcome;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of each job of a chunk. Immutable.
 *
 * <p>A job that is named neither completed nor failed has failed: its error is a {@link JobNotReportedException}.
 */
public final class ChunkResult {

    /** All jobs of the chunk are completed: as if the listener returned nothing. */
    public static final ChunkResult ALL_COMPLETED = new ChunkResult(true, Map.of(), Map.of());

    private final boolean all;
    private final Map<Long, @Nullable Object> completed;
    private final Map<Long, Throwable> failed;

    private ChunkResult(boolean all, Map<Long, @Nullable Object> completed, Map<Long, Throwable> failed) {
        this.all = all;
        this.completed = Collections.unmodifiableMap(new LinkedHashMap<>(completed)); // it may hold nulls
        this.failed = Map.copyOf(failed);
    }

    /** A result that names jobs one by one. Not thread-safe. */
    public static Builder builder() {
        return new Builder();
    }

    /** Whether all jobs are completed, whichever they are. */
    public boolean allCompleted() {
        return all;
    }

    /** The results of completed jobs by id; null for a job without one. */
    public Map<Long, @Nullable Object> completed() {
        return completed;
    }

    /** Why jobs failed, by id. */
    public Map<Long, Throwable> failed() {
        return failed;
    }

    @Override
    public String toString() {
        return all ? "all completed" : "%d completed, %d failed".formatted(completed.size(), failed.size());
    }

    /** Names jobs by id, each once. */
    public static final class Builder {

        private final Map<Long, @Nullable Object> completed = new LinkedHashMap<>();
        private final Map<Long, Throwable> failed = new LinkedHashMap<>();

        private Builder() {}

        /** The job is completed, without a result. */
        public Builder completed(long id) {
            return completed(id, null);
        }

        /** These jobs are completed, without results. */
        public Builder completed(Collection<? extends ChunkJob<?>> jobs) {
            jobs.forEach(job -> completed(job.id()));
            return this;
        }

        /** The job is completed. The result is kept as JSON for as long as the job is kept. */
        public Builder completed(long id, @Nullable Object result) {
            if (result instanceof Outcome) {
                throw new IllegalArgumentException(
                        "the result of job %d is an Outcome, which decides nothing: say failed(id, exception) instead"
                                .formatted(id));
            }
            requireNew(id);
            completed.put(id, result);
            return this;
        }

        /**
         * The job failed. The exception decides as if the job's listener had thrown it, for this job only: {@link
         * dev.rowlock.queue.job.DoNotRetryException}, {@link dev.rowlock.queue.job.RetryLaterException} and {@link
         * dev.rowlock.queue.job.SnoozeException} mean what they always do.
         */
        public Builder failed(long id, Throwable why) {
            requireNew(id);
            failed.put(id, why);
            return this;
        }

        private void requireNew(long id) {
            if (completed.containsKey(id) || failed.containsKey(id)) {
                throw new IllegalArgumentException(
                        "job %d is named twice: a job is either completed or failed".formatted(id));
            }
        }

        public ChunkResult build() {
            return new ChunkResult(false, completed, failed);
        }
    }
}
