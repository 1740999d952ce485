package dev.rowlock.queue.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/** Transactions of listeners are not such of Rowlock's DataSource. The application does not start. */
final class UnsuitableTransactionsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    UnsuitableTransactionsException(@Nullable PlatformTransactionManager manager, IllegalStateException cause) {
        super(
                "transactional listeners cannot complete their jobs in transactions of %s: they are not such of Rowlock's DataSource"
                        .formatted(
                                manager == null
                                        ? "this application"
                                        : manager.getClass().getName()),
                cause);
    }
}
