package dev.rowlock.queue.internal.chunk;

import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.internal.run.AttemptInterceptors;
import dev.rowlock.queue.internal.run.BeginFailures;
import dev.rowlock.queue.internal.run.ContextServices;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.run.Failures;
import dev.rowlock.queue.internal.run.MissingPartition;
import dev.rowlock.queue.internal.store.outcome.ExtendDeadlines;
import dev.rowlock.queue.internal.store.outcome.FinishJobsInTransaction;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.Transactions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What calls with chunks need. One for the node.
 *
 * @param transactions of transactional listeners that have none of their own; null if there are none
 */
public record ChunkServices(
        ContextServices contexts,
        FinishJobsInTransaction finish,
        ExtendDeadlines extend,
        MissingPartition missingPartition,
        Failures failures,
        BeginFailures beginFailures,
        FailureLog failureLog,
        List<JobInterceptor> interceptors,
        AttemptInterceptors attempts,
        @Nullable Transactions transactions) {

    /** @param keep whether completed jobs are kept */
    public static ChunkServices of(
            ContextServices contexts,
            boolean keep,
            Extensions extensions,
            @Nullable TransactionOperations transactions) {
        Failures failures = new Failures(extensions.redactors());
        return new ChunkServices(
                contexts,
                new FinishJobsInTransaction(contexts.database(), keep),
                new ExtendDeadlines(contexts.database()),
                new MissingPartition(contexts.partitions()),
                failures,
                new BeginFailures(failures::loggable),
                new FailureLog(),
                extensions.interceptors(),
                new AttemptInterceptors(extensions.attempts()),
                transactions == null ? null : work -> transactions.executeWithoutResult(status -> work.run()));
    }
}
