package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one job is to be queued and run. Immutable; start from {@link #NONE} and add what differs:
 * {@code o -> o.queue("mail").priority(5).delay(Duration.ofMinutes(10))}.
 *
 * <p>Every method checks its value and throws an {@link IllegalArgumentException} that names the value and the limit.
 *
 * @param queue the queue; null for the type's own
 * @param priority higher runs first; {@value #MIN_PRIORITY} to {@value #MAX_PRIORITY}, default 0
 * @param due when it becomes runnable; null for at once
 * @param maxRetries attempts after the first; null for the listener's setting
 * @param timeout how long an attempt may take before it is interrupted, at least 1 ms; null for the listener's setting
 * @param headers small strings that travel with the job, at most {@value #MAX_HEADERS} of them, and
 *     {@value #MAX_HEADERS_LENGTH} characters together
 * @param uniqueKey a key that at most one job of the type holds at a time; null for none
 */
public record JobOptions(
        @Nullable String queue,
        int priority,
        @Nullable Due due,
        @Nullable Integer maxRetries,
        @Nullable Duration timeout,
        Map<String, String> headers,
        @Nullable UniqueKey uniqueKey) {

    public static final int MIN_PRIORITY = -1000;
    public static final int MAX_PRIORITY = 1000;
    public static final int MAX_HEADERS = 64;
    /** The longest key or value of a header, in characters. */
    public static final int MAX_HEADER_LENGTH = 1000;
    /** All keys and values of a job's headers together, in characters: they are in memory as long as the job is claimed. */
    public static final int MAX_HEADERS_LENGTH = 8000;

    /** The longest timeout: 365 days. */
    public static final Duration MAX_TIMEOUT = Duration.ofDays(365);

    /** Nothing special: the type's queue, priority 0, runnable at once, the listener's retries and timeout. */
    public static final JobOptions NONE = new JobOptions(null, 0, null, null, null, Map.of(), null);

    public JobOptions {
        if (queue != null) {
            Names.queue(queue);
        }
        if (priority < MIN_PRIORITY || priority > MAX_PRIORITY) {
            throw new IllegalArgumentException(
                    "priority %d must lie between %d and %d".formatted(priority, MIN_PRIORITY, MAX_PRIORITY));
        }
        if (maxRetries != null) {
            RetryPolicy.validRetries(maxRetries);
        }
        if (timeout != null) {
            validTimeout(timeout);
        }
        headers = validHeaders(headers);
    }

    /** Returns the timeout, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static Duration validTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "timeout %s must lie between 1 ms and %s".formatted(timeout, MAX_TIMEOUT));
        }
        return timeout;
    }

    public JobOptions queue(String name) {
        return new JobOptions(name, priority, due, maxRetries, timeout, headers, uniqueKey);
    }

    public JobOptions priority(int value) {
        return new JobOptions(queue, value, due, maxRetries, timeout, headers, uniqueKey);
    }

    /** Runnable once this time has passed on the database's clock. Replaces {@link #runAt}. */
    public JobOptions delay(Duration delay) {
        return new JobOptions(queue, priority, Due.after(delay), maxRetries, timeout, headers, uniqueKey);
    }

    /** Runnable when the database's clock reaches this instant; at once if it has passed. Replaces {@link #delay}. */
    public JobOptions runAt(Instant instant) {
        return new JobOptions(queue, priority, Due.at(instant), maxRetries, timeout, headers, uniqueKey);
    }

    public JobOptions maxRetries(int retries) {
        return new JobOptions(queue, priority, due, retries, timeout, headers, uniqueKey);
    }

    public JobOptions timeout(Duration limit) {
        return new JobOptions(queue, priority, due, maxRetries, limit, headers, uniqueKey);
    }

    /** Replaces all headers. */
    public JobOptions headers(Map<String, String> all) {
        return new JobOptions(queue, priority, due, maxRetries, timeout, all, uniqueKey);
    }

    /** As {@link #unique(UniqueKey)}, with a key that is free as soon as its job has ended. */
    public JobOptions unique(String key) {
        return unique(UniqueKey.of(key));
    }

    /** Enqueues nothing, and returns the id of the job that there is, while another job of the type holds this key. */
    public JobOptions unique(UniqueKey key) {
        return new JobOptions(queue, priority, due, maxRetries, timeout, headers, key);
    }

    private static Map<String, String> validHeaders(Map<String, String> headers) {
        if (headers.size() > MAX_HEADERS) {
            throw new IllegalArgumentException(
                    "%d headers are too many: a job may carry %d".formatted(headers.size(), MAX_HEADERS));
        }
        int length = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            String key = header.getKey();
            String value = header.getValue();
            if (key.isEmpty() || key.length() > MAX_HEADER_LENGTH || value.length() > MAX_HEADER_LENGTH) {
                throw new IllegalArgumentException(
                        "a header with a key of %d and a value of %d characters is not allowed: keys have 1 to %d characters, values up to %d"
                                .formatted(key.length(), value.length(), MAX_HEADER_LENGTH, MAX_HEADER_LENGTH));
            }
            length += key.length() + value.length();
        }
        if (length > MAX_HEADERS_LENGTH) {
            throw new IllegalArgumentException(
                    "headers of %d characters are too long: keys and values together have up to %d; larger values belong into the payload"
                            .formatted(length, MAX_HEADERS_LENGTH));
        }
        return Map.copyOf(headers);
    }
}
