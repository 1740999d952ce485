package dev.rowlock.queue.chaos.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What happens to effects and to the completion if a handler's transaction is not the only one. */
@PostgresTest(freshPerTest = true)
class InnerTransactionsTest {

    record Pay(int amount) {}

    private Bench bench;
    private TransactionTemplate own;
    private TransactionTemplate apart;

    @BeforeEach
    void prepare(TestDatabase database) {
        bench = new Bench(database);
        bench.sql.sql("CREATE TABLE effect (what text)").update();
        DataSourceTransactionManager manager = new DataSourceTransactionManager(database.dataSource());
        own = new TransactionTemplate(manager);
        apart = new TransactionTemplate(manager);
        apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void writesOfASeparateTransactionStayThoughTheAttemptFails() {
        bench.listener(Pay.class, true, (context, payload) -> {
                    apart.executeWithoutResult(inner -> effect("apart"));
                    effect("own");
                    throw new IllegalStateException("after both");
                })
                .start();

        assertThat(bench.end(bench.jobs.enqueue(new Pay(1)))).isEqualTo(JobState.DEAD);
        assertThat(effects()).isEqualTo("apart");
    }

    @Test
    void aJobCompletedInASeparateTransactionIsDoneThoughTheListenersOwnRollsBack() {
        bench.listener(Pay.class, (context, payload) -> {
                    own.executeWithoutResult(outer -> {
                        effect("own");
                        apart.executeWithoutResult(inner -> {
                            effect("apart");
                            context.completeInTransaction("done");
                        });
                        throw new IllegalStateException("too late");
                    });
                    return null;
                })
                .start();

        assertThat(bench.end(bench.jobs.enqueue(new Pay(1)))).isEqualTo(JobState.COMPLETED);
        assertThat(effects()).isEqualTo("apart");
    }

    @Test
    void aTransactionalListenerMayCompleteByItself() {
        bench.listener(Pay.class, true, (context, payload) -> {
                    effect("own");
                    context.completeInTransaction("mine");
                    return "ignored";
                })
                .start();

        long id = bench.jobs.enqueue(new Pay(1));

        assertThat(bench.ended(id).result()).isEqualTo("\"mine\"");
        assertThat(effects()).isEqualTo("own");
    }

    private void effect(String what) {
        bench.sql.sql("INSERT INTO effect VALUES (?)").param(what).update();
    }

    private String effects() {
        return bench.sql
                .sql("SELECT coalesce(string_agg(what, ',' ORDER BY what), '') FROM effect")
                .query(String.class)
                .single();
    }
}
