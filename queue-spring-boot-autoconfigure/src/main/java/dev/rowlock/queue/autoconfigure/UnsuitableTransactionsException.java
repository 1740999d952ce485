package dev.rowlock.queue.autoconfigure;

/** Transactions of listeners are not such of Rowlock's DataSource. The application does not start. */
final class UnsuitableTransactionsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /** {@code whose} is the class of the manager, or whatever else made them. */
    UnsuitableTransactionsException(String whose, IllegalStateException cause) {
        super(
                "transactional listeners cannot complete their jobs in transactions of %s: they are not such of Rowlock's DataSource"
                        .formatted(whose),
                cause);
    }
}
