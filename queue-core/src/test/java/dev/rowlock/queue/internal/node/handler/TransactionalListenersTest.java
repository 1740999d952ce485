package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.Representative;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners that complete their job in a transaction. */
@Representative
class TransactionalListenersTest extends NodeTest {

    @Test
    void aTransactionalListenerCommitsItsRowsAndItsCompletionTogether() {
        node.sql.sql("CREATE TABLE effect (job bigint)").update();
        AtomicInteger runs = new AtomicInteger();
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            node.sql
                                    .sql("INSERT INTO effect VALUES (?)")
                                    .param(context.id())
                                    .update();
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

        assertThat(node.sql.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isEqualTo(1);
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
        node.sql.sql("CREATE TABLE effect (job bigint)").update();
        AtomicInteger runs = new AtomicInteger();
        TransactionTemplate nested = new TransactionTemplate(node.transactions.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            node.sql
                                    .sql("INSERT INTO effect VALUES (?)")
                                    .param(context.id())
                                    .update();
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

        assertThat(node.sql.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isEqualTo(1);
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
        node.sql.sql("CREATE TABLE effect (job bigint)").update();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            node.sql
                                    .sql("INSERT INTO effect VALUES (?)")
                                    .param(context.id())
                                    .update();
                            node.takeAway(context);
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
        assertThat(node.sql.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isZero();
        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    }
}
