package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.PayloadCodec;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Services that a node uses.
 *
 * @param direct connections outside the pool, one for the lease and one for listening
 * @param transactions for transactional listeners; null if the application has no transaction manager
 * @param admissions which ready jobs may be claimed
 */
public record NodeServices(
        Database database,
        DataSource direct,
        PayloadCodec codec,
        Extensions extensions,
        WakeupBus wakeups,
        @Nullable TransactionOperations transactions,
        Admissions admissions) {}
