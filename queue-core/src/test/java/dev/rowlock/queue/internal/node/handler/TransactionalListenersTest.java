package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.node.Effects;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners that complete their job in a transaction. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class TransactionalListenersTest extends NodeTest {

    @Test
    void aTransactionalListenerCommitsItsRowsAndItsCompletionTogether() {
        Effects effects = new Effects(node);
        AtomicInteger runs = new AtomicInteger();
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            effects.add(context);
                            if (runs.incrementAndGet() == 1) {
                                throw new IllegalStateException("after the insert");
                            }
                            return "yes";
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);
        node.awaitEvent("completed " + id);

        assertThat(effects.count()).isEqualTo(1);
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"yes\"");
    }

    @Test
    void aTransactionalListenerMayCompleteItsJobItself() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            context.completeInTransaction("mine");
                            assertThatThrownBy(() -> context.completeInTransaction("again"))
                                    .isInstanceOf(IllegalStateException.class);
                            assertThatThrownBy(() -> context.progress(1, null))
                                    .isInstanceOf(IllegalStateException.class);
                            return "ignored";
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"mine\"");
    }

    @Test
    void aCompletionThatIsRolledBackToASavepointUndoesWhatTheListenerWrote() {
        Effects effects = new Effects(node);
        AtomicInteger runs = new AtomicInteger();
        TransactionTemplate nested = new TransactionTemplate(node.transactions.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            effects.add(context);
                            nested.executeWithoutResult(status -> {
                                context.completeInTransaction(null);
                                if (runs.incrementAndGet() == 1) {
                                    status.setRollbackOnly();
                                }
                            });
                            return null;
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(effects.count()).isEqualTo(1);
    }

    @Test
    void aCompletionThatIsRolledBackFailsTheAttempt() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> {
                    node.transactions.executeWithoutResult(status -> {
                        context.completeInTransaction("try " + runs.incrementAndGet());
                        if (runs.get() == 1) {
                            status.setRollbackOnly();
                        }
                    });
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.result()).isEqualTo("\"try 2\"");
        assertThat(job.errors()).hasSize(1);
    }

    @Test
    void aCompletionThatIsUndoneBySavepointFailsTheAttempt() {
        AtomicInteger runs = new AtomicInteger();
        TransactionTemplate nested = new TransactionTemplate(node.transactions.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        node.listener(Greet.class, (context, payload) -> {
                    node.transactions.executeWithoutResult(outer -> nested.executeWithoutResult(inner -> {
                        context.completeInTransaction("try " + runs.incrementAndGet());
                        if (runs.get() == 1) {
                            inner.setRollbackOnly();
                        }
                    }));
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"try 2\"");
    }

    @Test
    void aTransactionalListenerThatLostItsClaimRollsBack() {
        Effects effects = new Effects(node);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            effects.add(context);
                            node.others.takeAway(context);
                            try {
                                context.completeInTransaction(null);
                            } catch (ClaimLostException e) {
                                thrown.set(e);
                                throw e;
                            }
                            return null;
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitEvent("lost " + id);

        assertThat(thrown.get()).isInstanceOf(ClaimLostException.class);
        assertThat(effects.count()).isZero();
        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    }
}
