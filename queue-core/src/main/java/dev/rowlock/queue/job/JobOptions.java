package dev.rowlock.queue.job;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one job is to be queued and run. Immutable; start from {@link #NONE} and add what differs:
 * {@code o -> o.queue("mail").priority(5).delay(Duration.ofMinutes(10))}. A method with an argument returns a changed
 * copy, the one of the same name without an argument says what is set.
 *
 * <p>Every method checks its value and throws an {@link IllegalArgumentException} that names the value and the limit.
 */
public final class JobOptions {

    public static final int MIN_PRIORITY = -1000;
    public static final int MAX_PRIORITY = 1000;
    public static final int MAX_HEADERS = 64;
    /** The longest key or value of a header, in characters. */
    public static final int MAX_HEADER_LENGTH = 1000;
    /** All keys and values of a job's headers together, in characters: they are in memory as long as the job is claimed. */
    public static final int MAX_HEADERS_LENGTH = 8000;

    /** The longest key, in characters. */
    public static final int MAX_KEY_LENGTH = 200;

    /** Headers of Rowlock's own begin with this, those of applications must not. */
    public static final String RESERVED_HEADERS = "rowlock-";

    /** The longest timeout: 365 days. */
    public static final Duration MAX_TIMEOUT = Duration.ofDays(365);

    /** Nothing special: the type's queue, priority 0, runnable at once, the listener's retries and timeout. */
    public static final JobOptions NONE = new JobOptions(new Draft());

    private final @Nullable String queue;
    private final int priority;
    private final @Nullable Due due;
    private final @Nullable Integer maxRetries;
    private final @Nullable RetryPolicy retry;
    private final @Nullable Duration timeout;
    private final Map<String, String> headers;
    private final @Nullable String key;
    private final @Nullable UniqueKey uniqueKey;

    private JobOptions(Draft draft) {
        this.queue = draft.queue;
        this.priority = draft.priority;
        this.due = draft.due;
        this.maxRetries = draft.maxRetries;
        this.retry = draft.retry;
        this.timeout = draft.timeout;
        this.headers = draft.headers;
        this.key = draft.key;
        this.uniqueKey = draft.uniqueKey;
    }

    /** The queue of this job, whatever its type or its listener says. */
    public JobOptions queue(String name) {
        Draft draft = new Draft(this);
        draft.queue = Names.queue(name);
        return new JobOptions(draft);
    }

    /** Higher runs first; {@value #MIN_PRIORITY} to {@value #MAX_PRIORITY}, default 0. */
    public JobOptions priority(int value) {
        if (value < MIN_PRIORITY || value > MAX_PRIORITY) {
            throw new IllegalArgumentException(
                    "priority %d must lie between %d and %d".formatted(value, MIN_PRIORITY, MAX_PRIORITY));
        }
        Draft draft = new Draft(this);
        draft.priority = value;
        return new JobOptions(draft);
    }

    /** Runnable once this time has passed on the database's clock. Replaces {@link #runAt}. */
    public JobOptions delay(Duration delay) {
        Draft draft = new Draft(this);
        draft.due = Due.after(delay);
        return new JobOptions(draft);
    }

    /** Runnable when the database's clock reaches this instant; at once if it has passed. Replaces {@link #delay}. */
    public JobOptions runAt(Instant instant) {
        Draft draft = new Draft(this);
        draft.due = Due.at(instant);
        return new JobOptions(draft);
    }

    /** Attempts after the first, whatever the listener's policy, or {@link #retry(RetryPolicy)}, says. */
    public JobOptions maxRetries(int retries) {
        Draft draft = new Draft(this);
        draft.maxRetries = RetryPolicy.validRetries(retries);
        return new JobOptions(draft);
    }

    /**
     * When this job is tried again, in place of its listener's policy. It is stored with the job: {@link
     * RetryPolicy#on rules for exceptions} are code and are refused; what the listener's {@code noRetryFor} says holds all
     * the same. Of waits that grow, the first {@value RetryPolicy#MAX_INTERVALS} are stored.
     */
    public JobOptions retry(RetryPolicy policy) {
        if (policy.hasRules()) {
            throw new IllegalArgumentException(
                    "a job's own retry policy has no rules for exceptions, because it is stored with the job: give them to the listener");
        }
        Draft draft = new Draft(this);
        draft.retry = policy;
        return new JobOptions(draft);
    }

    /** How long an attempt may take before it is interrupted, at least 1 ms, whatever the listener says. */
    public JobOptions timeout(Duration limit) {
        Draft draft = new Draft(this);
        draft.timeout = validTimeout(limit);
        return new JobOptions(draft);
    }

    /** Adds a header, or replaces the one with this key. Headers are small strings that travel with the job. */
    public JobOptions header(String key, String value) {
        Map<String, String> all = new HashMap<>(headers);
        all.put(key, value);
        return headers(all);
    }

    /**
     * Replaces all headers: at most {@value #MAX_HEADERS}, with {@value #MAX_HEADERS_LENGTH} characters together. Keys that
     * begin with {@value #RESERVED_HEADERS} are Rowlock's own.
     */
    public JobOptions headers(Map<String, String> all) {
        Draft draft = new Draft(this);
        draft.headers = validHeaders(all);
        return new JobOptions(draft);
    }

    /**
     * Which of its queue's jobs this one belongs with: those of a tenant, an account, a document. Limits per key count the
     * running jobs of one key, and keys take turns. Unlike a {@linkplain #unique(String) unique key}, any number of jobs may
     * have the same. 1 to {@value #MAX_KEY_LENGTH} characters, without NUL and unpaired surrogates.
     */
    public JobOptions key(String value) {
        String valid = validKey(value);
        Draft draft = new Draft(this);
        draft.key = valid;
        return new JobOptions(draft);
    }

    /**
     * The key, if it is one.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static String validKey(String value) {
        if (value.isEmpty() || value.length() > MAX_KEY_LENGTH) {
            throw new IllegalArgumentException(
                    "a key of %d characters is not allowed: it has 1 to %d".formatted(value.length(), MAX_KEY_LENGTH));
        }
        KeyText.requireStorable("key", value);
        return value;
    }

    /** As {@link #unique(UniqueKey)}, with a key that is free as soon as its job has ended. */
    public JobOptions unique(String key) {
        return unique(UniqueKey.of(key));
    }

    /** Enqueues nothing, and returns the id of the job that there is, while another job of the type holds this key. */
    public JobOptions unique(UniqueKey key) {
        Draft draft = new Draft(this);
        draft.uniqueKey = key;
        return new JobOptions(draft);
    }

    /** Null for the type's own. */
    public @Nullable String queue() {
        return queue;
    }

    public int priority() {
        return priority;
    }

    /** When it becomes runnable; null for at once. */
    public @Nullable Due due() {
        return due;
    }

    /** Null for as often as the policy says. */
    public @Nullable Integer maxRetries() {
        return maxRetries;
    }

    /** Null for the listener's policy. */
    public @Nullable RetryPolicy retry() {
        return retry;
    }

    /** Null for the listener's. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    public Map<String, String> headers() {
        return headers;
    }

    /** Null for none. */
    public @Nullable String key() {
        return key;
    }

    /** Null for none. */
    public @Nullable UniqueKey uniqueKey() {
        return uniqueKey;
    }

    /** Returns the timeout, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static Duration validTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout %s must lie between 1 ms and %s"
                    .formatted(DurationText.of(timeout), DurationText.of(MAX_TIMEOUT)));
        }
        return timeout;
    }

    private static Map<String, String> validHeaders(Map<String, String> headers) {
        if (headers.size() > MAX_HEADERS) {
            throw new IllegalArgumentException(
                    "%d headers are too many: a job may carry %d".formatted(headers.size(), MAX_HEADERS));
        }
        int length = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            length += validHeader(header.getKey(), header.getValue());
        }
        if (length > MAX_HEADERS_LENGTH) {
            throw new IllegalArgumentException(
                    "headers of %d characters are too long: keys and values together have up to %d; larger values belong into the payload"
                            .formatted(length, MAX_HEADERS_LENGTH));
        }
        return Map.copyOf(headers);
    }

    /** Returns how long it is. */
    private static int validHeader(String key, String value) {
        if (key.isEmpty() || key.length() > MAX_HEADER_LENGTH || value.length() > MAX_HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "a header with a key of %d and a value of %d characters is not allowed: keys have 1 to %d characters, values up to %d"
                            .formatted(key.length(), value.length(), MAX_HEADER_LENGTH, MAX_HEADER_LENGTH));
        }
        if (key.startsWith(RESERVED_HEADERS)) {
            throw new IllegalArgumentException(
                    "a header whose key begins with '%s' is not allowed: such headers are Rowlock's own"
                            .formatted(RESERVED_HEADERS));
        }
        return key.length() + value.length();
    }

    private List<@Nullable Object> values() {
        return Arrays.asList(queue, priority, due, maxRetries, retry, timeout, headers, key, uniqueKey);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobOptions options && values().equals(options.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    /** For logs: of headers, the keys. */
    @Override
    public String toString() {
        return "JobOptions[queue=%s, priority=%d, due=%s, maxRetries=%s, retry=%s, timeout=%s, headers=%s, key=%s, uniqueKey=%s]"
                .formatted(queue, priority, due, maxRetries, retry, timeout, headers.keySet(), key, uniqueKey);
    }

    /** Options that are being changed. */
    private static final class Draft {

        private @Nullable String queue;
        private int priority;
        private @Nullable Due due;
        private @Nullable Integer maxRetries;
        private @Nullable RetryPolicy retry;
        private @Nullable Duration timeout;
        private Map<String, String> headers = Map.of();
        private @Nullable String key;
        private @Nullable UniqueKey uniqueKey;

        Draft() {}

        Draft(JobOptions from) {
            queue = from.queue;
            priority = from.priority;
            due = from.due;
            maxRetries = from.maxRetries;
            retry = from.retry;
            timeout = from.timeout;
            headers = from.headers;
            key = from.key;
            uniqueKey = from.uniqueKey;
        }
    }
}
