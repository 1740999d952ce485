package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.run.Execution.Completion;
import dev.rowlock.queue.internal.run.Execution.CompletionWatch;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;

class CompletionWatchTest {

    private final Execution execution = TestExecution.of(1);
    private final CompletionWatch watch = new CompletionWatch(List.of(execution));

    @Test
    void aCompletionIsDoneWithItsTransactionsCommitAndNotBefore() {
        assertThat(execution.completion()).isEqualTo(Completion.IN_OPEN_TRANSACTION);

        watch.afterCompletion(TransactionSynchronization.STATUS_COMMITTED);

        assertThat(execution.completion()).isEqualTo(Completion.COMMITTED);
    }

    @Test
    void aTransactionThatRolledBackOrWhoseEndIsUnknownCompletesNothing() {
        watch.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK);
        assertThat(execution.completion()).isEqualTo(Completion.ROLLED_BACK);

        Execution other = TestExecution.of(2);
        new CompletionWatch(List.of(other)).afterCompletion(TransactionSynchronization.STATUS_UNKNOWN);
        assertThat(other.completion()).isEqualTo(Completion.ROLLED_BACK);
    }

    @Test
    void aRollbackToAnEarlierSavepointUndoesTheCompletion() {
        watch.savepoint("later");
        watch.savepointRollback("earlier");
        assertThat(execution.completion()).isEqualTo(Completion.ROLLED_BACK);

        watch.afterCompletion(TransactionSynchronization.STATUS_COMMITTED);

        assertThat(execution.completion()).isEqualTo(Completion.ROLLED_BACK);
    }

    @Test
    void aRollbackToALaterSavepointKeepsTheCompletion() {
        watch.savepoint("later");
        watch.savepointRollback("later");

        watch.afterCompletion(TransactionSynchronization.STATUS_COMMITTED);

        assertThat(execution.completion()).isEqualTo(Completion.COMMITTED);
    }
}
