package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.spi.JobInterceptor;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Services that chunk calls use. One for the node.
 *
 * @param search for how long a chunk is called again after its first culprit was found. What has not run by then goes back, at no cost: a
 *     thread must not be busy for hours with a chunk all of whose jobs take their timeout.
 */
public record ChunkServices(
        ContextServices contexts,
        MissingPartition missingPartition,
        Failures failures,
        BeginFailures beginFailures,
        FailureLog failureLog,
        List<JobInterceptor> interceptors,
        AttemptInterceptors attemptInterceptors,
        ListenerTransactions transactions,
        Duration search) {

    private static final Duration SEARCH = Duration.ofMinutes(1);

    /** @param transactions of transactional listeners that have none of their own; null if there are none */
    public static ChunkServices of(
            ContextServices contexts, Extensions extensions, @Nullable TransactionOperations transactions) {
        Failures failures = new Failures(extensions.redactors(), extensions.slowDowns());
        return new ChunkServices(
                contexts,
                new MissingPartition(contexts.partitions()),
                failures,
                new BeginFailures(failures::loggable),
                new FailureLog(),
                extensions.interceptors(),
                new AttemptInterceptors(extensions.attempts()),
                new ListenerTransactions(transactions),
                SEARCH);
    }
}
