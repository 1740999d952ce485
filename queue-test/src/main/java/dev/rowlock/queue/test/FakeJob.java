package dev.rowlock.queue.test;

import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A job that does not exist, to test code without Spring and without a database: {@link #context} for handlers, {@link #failed} for retry
 * policies and strategies, {@link #claimed} for redactors, observers and interceptors, {@link #waiting} for admission policies. Its methods change
 * it and return it. Not thread-safe.
 *
 * <pre>{@code
 * FakeJobContext context = FakeJob.of(SendInvoice.class).attempt(2).context();
 * new Invoices(mailer).send(new SendInvoice(7), context);
 *
 * Failure failure = FakeJob.of(SendInvoice.class).attempt(3).failed(new IOException("away"));
 * assertThat(policy.next(failure)).isEmpty();
 * }</pre>
 */
public final class FakeJob {

    /** When fake jobs were claimed. */
    static final Instant CLAIMED_AT = Instant.parse("2026-01-01T00:00:00Z");

    private final String type;
    private String queue = "default";
    private long id = 1;
    private int attempt = 1;
    private int crashes;
    private int priority;
    private @Nullable Integer maxRetries; // null: not its own
    private Duration age = Duration.ZERO;
    private @Nullable String key;
    private @Nullable Duration timeout;
    private @Nullable StopReason stop;
    private @Nullable Object checkpoint;
    private final Map<String, String> headers = new TreeMap<>();
    private final List<FailedAttempt> errors = new ArrayList<>();

    private FakeJob(String type) {
        this.type = type;
    }

    /** A job of this payload class, in the queue that the class names, otherwise in {@code default}. */
    public static FakeJob of(Class<?> payload) {
        FakeJob job = new FakeJob(JobTypes.typeOf(payload));
        String queue = JobTypes.declaredQueueOf(payload);
        return queue == null ? job : job.queue(queue);
    }

    /** A job of this type. */
    public static FakeJob ofType(String type) {
        return new FakeJob(type);
    }

    /** 1 unless said otherwise. */
    public FakeJob id(long value) {
        id = value;
        return this;
    }

    public FakeJob queue(String value) {
        queue = value;
        return this;
    }

    public FakeJob key(String value) {
        key = value;
        return this;
    }

    /** Which attempt it is: 1, the first, unless said otherwise. */
    public FakeJob attempt(int value) {
        attempt = value;
        return this;
    }

    /** How often its node died while it ran. */
    public FakeJob crashes(int value) {
        crashes = value;
        return this;
    }

    /** Of a {@link #waiting} job; 0 unless said otherwise. */
    public FakeJob priority(int value) {
        priority = value;
        return this;
    }

    /** The job's own number, which goes before that of a policy; a context says 25 unless there is one. */
    public FakeJob maxRetries(int value) {
        maxRetries = value;
        return this;
    }

    /** How long ago it was enqueued. */
    public FakeJob age(Duration value) {
        age = value;
        return this;
    }

    public FakeJob timeout(Duration value) {
        timeout = value;
        return this;
    }

    public FakeJob header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** An earlier attempt failed like that. */
    public FakeJob error(String exception, String message) {
        errors.add(new Failed(errors.size() + 1, null, CLAIMED_AT.minus(age), null, exception, message, ""));
        return this;
    }

    /** What an earlier attempt has noted. */
    public FakeJob checkpoint(Object value) {
        checkpoint = value;
        return this;
    }

    /** The handler is to stop. */
    public FakeJob stop(StopReason reason) {
        stop = reason;
        return this;
    }

    /** The job as a claim returns it, without a payload. */
    public ClaimedJob claimed() {
        return new Claimed(
                new Claim(id, 1),
                queue,
                type,
                attempt,
                crashes,
                Duration.ZERO,
                age,
                CLAIMED_AT,
                null,
                null,
                maxRetries,
                timeout,
                timeout == null ? null : CLAIMED_AT.plus(timeout),
                key,
                false);
    }

    /** The job as an admission policy gets it: it could run since it was enqueued, and {@link #attempt} says which attempt comes next. */
    public WaitingJob waiting() {
        Instant enqueuedAt = CLAIMED_AT.minus(age);
        return new Waiting(id, type, key, priority, attempt - 1, enqueuedAt, enqueuedAt, Map.copyOf(headers));
    }

    /** The failure of this attempt, as retry strategies see it. */
    public Failure failed(Throwable thrown) {
        return new Failure(claimed(), age, thrown);
    }

    /** What a handler gets beside the payload. */
    public FakeJobContext context() {
        int retries = maxRetries == null ? RetryPolicy.DEFAULT.maxRetries() : maxRetries;
        return new FakeJobContext(claimed(), Map.copyOf(headers), List.copyOf(errors), retries, stop, checkpoint);
    }

    private record Claimed(
            Claim claim,
            String queue,
            String type,
            int attempt,
            int crashes,
            Duration waited,
            Duration age,
            Instant claimedAt,
            @Nullable String payload,
            @Nullable String headers,
            @Nullable Integer maxRetries,
            @Nullable Duration timeout,
            @Nullable Instant deadline,
            @Nullable String key,
            boolean counted)
            implements ClaimedJob {

        @Override
        public ClaimedJob withoutPayload() {
            return this; // it has none
        }

        @Override
        public String toString() {
            return "job %d (%s) of queue '%s', attempt %d".formatted(id(), type, queue, attempt);
        }
    }

    private record Waiting(
            long id,
            String type,
            @Nullable String key,
            int priority,
            int attempts,
            Instant readyAt,
            Instant enqueuedAt,
            Map<String, String> headers)
            implements WaitingJob {}

    private record Failed(
            int attempt,
            @Nullable Instant startedAt,
            Instant at,
            @Nullable Long nodeId,
            String type,
            String message,
            String trace)
            implements FailedAttempt {}
}
