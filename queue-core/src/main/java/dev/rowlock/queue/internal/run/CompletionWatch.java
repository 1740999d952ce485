package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Completion;
import java.util.HashSet;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;

/** Learns what became of the transaction that a job was completed in. Confined to that transaction's thread. */
final class CompletionWatch implements TransactionSynchronization {

    private final Execution execution;
    private final Set<Object> laterSavepoints = new HashSet<>();

    CompletionWatch(Execution execution) {
        this.execution = execution;
        execution.completion(Completion.IN_OPEN_TRANSACTION);
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    /** Back to a savepoint from before the completion: that undoes it. */
    @Override
    public void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contains(savepoint)) {
            execution.completion(Completion.ROLLED_BACK);
        }
    }

    /** Not afterCommit: another synchronization that throws there would skip this one. */
    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_COMMITTED && execution.completion() == Completion.IN_OPEN_TRANSACTION) {
            execution.completion(Completion.COMMITTED);
        } else {
            execution.completion(Completion.ROLLED_BACK);
        }
    }
}
