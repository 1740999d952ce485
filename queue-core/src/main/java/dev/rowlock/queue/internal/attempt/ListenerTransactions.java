package dev.rowlock.queue.internal.attempt;

import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Transactions;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/** The transactions of transactional listeners. Thread-safe. */
public final class ListenerTransactions {

    /** What is done in a transaction; it may throw whatever it likes. */
    @FunctionalInterface
    public interface Work {
        void run() throws Throwable;
    }

    private final @Nullable Transactions usual;

    /** @param usual of listeners that have none of their own; null if there are none */
    public ListenerTransactions(@Nullable TransactionOperations usual) {
        this.usual = usual == null ? null : work -> usual.executeWithoutResult(status -> work.run());
    }

    /** Does the work in one transaction. Checked exceptions roll back too: an attempt that failed leaves nothing behind. */
    public void run(ListenerDefinition listener, Work work) throws Throwable {
        Transactions chosen = listener.transactions() != null ? listener.transactions() : usual;
        if (chosen == null) {
            throw new IllegalStateException(
                    "%s is transactional but there is no transaction manager".formatted(listener.name()));
        }
        try {
            chosen.run(() -> {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    throw e;
                } catch (Throwable checked) {
                    throw new CheckedFailure(checked);
                }
            });
        } catch (CheckedFailure e) {
            throw e.thrown;
        }
    }

    /** Carries a checked exception through the transaction template, which rolls back for it. */
    private static final class CheckedFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final transient Throwable thrown;

        CheckedFailure(Throwable thrown) {
            super(null, thrown, false, false);
            this.thrown = thrown;
        }
    }
}
