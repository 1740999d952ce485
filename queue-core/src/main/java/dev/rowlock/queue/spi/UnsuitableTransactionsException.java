package dev.rowlock.queue.spi;

/** Listeners' jobs could not be completed in their transactions. Nothing starts. */
public final class UnsuitableTransactionsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why not, and what to do about it. */
    public enum Reason {
        OTHER_DATA_SOURCE("they are not such of Rowlock's DataSource", """
                Mark the transaction manager of Rowlock's DataSource with @RowlockTransactionManager; if there is none, define a \
                JdbcTransactionManager for it, or remove transactional = true."""),

        NOT_SYNCHRONIZED("its transactions have no synchronization, so nobody can be told of their end", """
                Leave the manager's transactionSynchronization at SYNCHRONIZATION_ALWAYS, or mark another manager of Rowlock's \
                DataSource with @RowlockTransactionManager.""");

        private final String text;
        private final String remedy;

        Reason(String text, String remedy) {
            this.text = text;
            this.remedy = remedy;
        }
    }

    /** @param whose the class of the manager, or whatever else made them */
    public UnsuitableTransactionsException(String whose, Reason reason, IllegalStateException cause) {
        super(
                "transactional listeners cannot complete their jobs in transactions of %s: %s"
                        .formatted(whose, reason.text),
                cause);
        this.reason = reason;
    }

    /** What to do about it. */
    public String remedy() {
        return reason.remedy;
    }
}
