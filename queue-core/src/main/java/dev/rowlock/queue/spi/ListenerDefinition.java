package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One listener: the type that it handles, where, and how.
 *
 * @param name for messages and logs, such as {@code Mailer.send(SendMail)}
 * @param queue the queue that it listens to
 * @param type the logical name of the payloads that it takes
 * @param concurrency how many jobs of its queue this node may run at once; null for the default
 * @param timeout how long an attempt may take before it is interrupted; null for no limit
 * @param retry when failed jobs run again
 * @param noRetryFor exceptions that are final, subclasses included
 * @param transactional whether the job completes inside the handler's own transaction
 * @param transactions runs such a transaction; null for the node's
 */
public record ListenerDefinition(
        String name,
        String queue,
        String type,
        @Nullable Integer concurrency,
        @Nullable Duration timeout,
        RetryPolicy retry,
        Set<Class<? extends Throwable>> noRetryFor,
        boolean transactional,
        @Nullable Transactions transactions,
        JobHandler handler) {

    /** More handlers at once in one process are a slip of units. */
    public static final int MAX_CONCURRENCY = 10_000;

    public ListenerDefinition {
        Names.queue(queue);
        Names.type(type);
        if (concurrency != null && (concurrency < 1 || concurrency > MAX_CONCURRENCY)) {
            throw new IllegalArgumentException(
                    "concurrency %d must lie between 1 and %d".formatted(concurrency, MAX_CONCURRENCY));
        }
        if (timeout != null) {
            JobOptions.validTimeout(timeout);
        }
        noRetryFor = Set.copyOf(noRetryFor);
    }

    /** One whose transactions, if it wants them, are the node's. */
    public ListenerDefinition(
            String name,
            String queue,
            String type,
            @Nullable Integer concurrency,
            @Nullable Duration timeout,
            RetryPolicy retry,
            Set<Class<? extends Throwable>> noRetryFor,
            boolean transactional,
            JobHandler handler) {
        this(name, queue, type, concurrency, timeout, retry, noRetryFor, transactional, null, handler);
    }
}
