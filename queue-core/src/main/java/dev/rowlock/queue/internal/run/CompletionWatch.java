package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Completion;
import java.util.HashSet;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;

/** Watches whether the transaction that completes jobs commits or rolls back. Confined to that transaction's thread. */
final class CompletionWatch implements TransactionSynchronization {

    /** What is completed in the transaction: one job, or several. */
    public interface Completed {

        Completion completion();

        void completion(Completion state);
    }

    private final Completed completed;
    private final Set<Object> laterSavepoints = new HashSet<>();

    public CompletionWatch(Completed completed) {
        this.completed = completed;
        completed.completion(Completion.IN_OPEN_TRANSACTION);
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    /** Back to a savepoint from before the completion: that undoes it. */
    @Override
    public void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contains(savepoint)) {
            completed.completion(Completion.ROLLED_BACK);
        }
    }

    /** Not afterCommit: another synchronization that throws there would skip this one. */
    @Override
    public void afterCompletion(int status) {
        boolean stands = completed.completion() == Completion.IN_OPEN_TRANSACTION;
        completed.completion(status == STATUS_COMMITTED && stands ? Completion.COMMITTED : Completion.ROLLED_BACK);
    }
}
