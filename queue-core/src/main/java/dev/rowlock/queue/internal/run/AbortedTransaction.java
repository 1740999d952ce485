package dev.rowlock.queue.internal.run;

import java.sql.SQLException;
import org.springframework.transaction.UnexpectedRollbackException;

/** Recognizes a transaction that PostgreSQL has aborted because an earlier statement of the handler failed: it rejects all that follows, "done" as well. */
final class AbortedTransaction {

    private static final String ABORTED = "25P02";

    private static final int MOST_CAUSES = 20;

    private AbortedTransaction() {}

    /** With the failure that the handler has not let through, if that is what this is; otherwise as it came. */
    static RuntimeException explained(RuntimeException failure) {
        Throwable next = failure;
        for (int depth = 0; depth < MOST_CAUSES && next != null; depth++) {
            if (next instanceof SQLException refusal && ABORTED.equals(refusal.getSQLState())) {
                Throwable first = refusal.getCause();
                return new UnexpectedRollbackException(
                        "the job cannot be completed in its transaction, because a statement in it had failed%s, and the listener went on. PostgreSQL takes nothing more in such a transaction: let the exception through, say ON CONFLICT DO NOTHING, or run the statement in a nested transaction (PROPAGATION_NESTED)"
                                .formatted(first == null ? "" : ": " + first.getMessage()),
                        failure);
            }
            next = next.getCause();
        }
        return failure;
    }
}
