package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Transactions;
import java.util.concurrent.atomic.AtomicReference;
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
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try {
            chosen.run(() -> {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    failure.set(e);
                    throw e;
                } catch (Throwable checked) {
                    failure.set(checked);
                    throw new CheckedFailure(checked);
                }
            });
        } catch (Throwable e) {
            Throwable first = failure.get();
            throw first == null ? e : told(first, e);
        }
    }

    /** Where the rollback fails as well, its exception comes in place of the one that says why: of a connection that is gone, only that it is. */
    private static Throwable told(Throwable failure, Throwable thrown) {
        if (thrown != failure && !(thrown instanceof CheckedFailure)) {
            failure.addSuppressed(thrown);
        }
        return failure;
    }

    /** Carries a checked exception through the transaction template, which rolls back for it. */
    private static final class CheckedFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CheckedFailure(Throwable thrown) {
            super(null, thrown, false, false);
        }
    }
}
