package dev.rowlock.queue.test;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A context for tests of handlers without Spring and without a database, made by {@link FakeJob}. It remembers what the handler did. It checks no
 * transaction, and values do not become JSON. Thread-safe.
 */
public final class FakeJobContext implements JobContext {

    private final ClaimedJob job;
    private final Map<String, String> headers;
    private final List<FailedAttempt> errors;
    private final int maxRetries;
    private @Nullable StopReason stop; // guarded by this, as all below
    private @Nullable Object checkpoint;
    private @Nullable Instant deadline;
    private @Nullable Integer progress;
    private @Nullable String note;
    private final List<String> log = new ArrayList<>();
    private boolean completed;
    private @Nullable Object result;

    FakeJobContext(
            ClaimedJob job,
            Map<String, String> headers,
            List<FailedAttempt> errors,
            int maxRetries,
            @Nullable StopReason stop,
            @Nullable Object checkpoint) {
        this.job = job;
        this.headers = headers;
        this.errors = errors;
        this.maxRetries = maxRetries;
        this.stop = stop;
        this.checkpoint = checkpoint;
        this.deadline = job.deadline();
    }

    /** From now on the handler is to stop. */
    public synchronized void stop(StopReason reason) {
        stop = reason;
    }

    /** The progress that was published last, in percent; empty: none was. */
    public synchronized Optional<Integer> progress() {
        return Optional.ofNullable(progress);
    }

    /** The note beside it. */
    public synchronized Optional<String> progressNote() {
        return Optional.ofNullable(note);
    }

    /** The lines that were written to the job's log. */
    public synchronized List<String> log() {
        return List.copyOf(log);
    }

    /** What was noted last for the next attempt, by this one or an earlier one. */
    public synchronized Optional<Object> checkpoint() {
        return Optional.ofNullable(checkpoint);
    }

    /** Whether the handler has completed the job in its own transaction. */
    public synchronized boolean completedInTransaction() {
        return completed;
    }

    /** The result that it gave then. */
    public synchronized Optional<Object> result() {
        return Optional.ofNullable(result);
    }

    @Override
    public long id() {
        return job.id();
    }

    @Override
    public String queue() {
        return job.queue();
    }

    @Override
    public String type() {
        return job.type();
    }

    @Override
    public Optional<String> key() {
        return Optional.ofNullable(job.key());
    }

    @Override
    public int attempt() {
        return job.attempt();
    }

    @Override
    public int crashes() {
        return job.crashes();
    }

    @Override
    public long claimToken() {
        return job.claim().token();
    }

    @Override
    public Map<String, String> headers() {
        return headers;
    }

    @Override
    public synchronized Optional<Instant> deadline() {
        return Optional.ofNullable(deadline);
    }

    @Override
    public synchronized void extend(Duration fromNow) {
        requireOpen();
        deadline = FakeJob.CLAIMED_AT.plus(fromNow);
    }

    @Override
    public synchronized Optional<StopReason> stopReason() {
        return Optional.ofNullable(stop);
    }

    @Override
    public int maxRetries() {
        return maxRetries;
    }

    @Override
    public Instant enqueuedAt() {
        return job.enqueuedAt();
    }

    @Override
    public List<FailedAttempt> errors() {
        return errors;
    }

    @Override
    public synchronized void progress(int percent, @Nullable String words) {
        requireOpen();
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("progress %d must lie between 0 and 100".formatted(percent));
        }
        progress = percent;
        note = words;
    }

    @Override
    public synchronized void log(String line) {
        log.add(line);
    }

    @Override
    public synchronized void saveCheckpoint(Object value) {
        requireOpen();
        checkpoint = Objects.requireNonNull(value, "the checkpoint is null");
    }

    @Override
    public synchronized <T> Optional<T> checkpoint(Class<T> type) {
        return Optional.ofNullable(checkpoint).map(type::cast);
    }

    @Override
    public synchronized void completeInTransaction(@Nullable Object value) {
        requireOpen();
        completed = true;
        result = value;
    }

    private void requireOpen() {
        if (completed) {
            throw new IllegalStateException(
                    "job %d has been completed by its listener: nothing about it can be changed after that"
                            .formatted(id()));
        }
    }
}
