package dev.rowlock.queue.internal.store.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Some go on adding jobs to an open step, so that there is always a transaction that has added some. */
@PostgresTest(freshPerTest = true, migrated = true)
class OpenStepsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    record Task(String name) {}

    private final Database database;
    private final Rowlock rowlock;
    private final Workflows workflows;
    private final JdbcClient sql;
    private final Adder one;
    private final Adder other;

    OpenStepsTest(TestDatabase test) {
        database = new Database(test.dataSource(), new Schema("rowlock"));
        rowlock = Rowlock.builder(test.dataSource()).build();
        workflows = rowlock.workflows();
        sql = JdbcClient.create(test.dataSource());
        one = new Adder(new DataSourceTransactionManager(test.dataSource()));
        other = new Adder(new DataSourceTransactionManager(test.dataSource()));
    }

    @AfterEach
    void stop() throws Exception {
        one.close();
        other.close();
        rowlock.close();
    }

    /** One who adds in a transaction that stays open until it is committed. */
    private final class Adder implements AutoCloseable {

        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final DataSourceTransactionManager manager;

        Adder(DataSourceTransactionManager manager) {
            this.manager = manager;
        }

        Future<TransactionStatus> add(long workflow) {
            return thread.submit(() -> {
                TransactionStatus status = manager.getTransaction(new DefaultTransactionDefinition());
                try {
                    workflows.add(workflow, "rows", List.of(new Task("row")));
                    return status;
                } catch (RuntimeException e) {
                    manager.rollback(status);
                    throw e;
                }
            });
        }

        void commit(Future<TransactionStatus> added) throws Exception {
            thread.submit(() -> {
                        manager.commit(added.get());
                        return null;
                    })
                    .get(1, TimeUnit.MINUTES);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    private void awaitWaiting(int transactions) {
        await().atMost(LONG).until(() -> waiting() >= transactions);
    }

    private long waiting() {
        return sql.sql("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
                .query(Long.class)
                .single();
    }

    @Test
    void whoClosesItComesBeforeThoseWhoAddLater() throws Exception {
        long id = workflows.start(Workflow.named("busy").each("rows", List.of(), s -> s.open()));
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> workflows.close(id, "rows"));
        awaitWaiting(1);
        Future<TransactionStatus> second = other.add(id);
        await().atMost(LONG).until(() -> second.isDone() || waiting() == 2);

        one.commit(first);

        await().atMost(LONG).until(closed::isDone);
        assertThat(closed.get()).isTrue();
        assertThatThrownBy(() -> second.get(1, TimeUnit.MINUTES)).hasMessageContaining("takes no jobs");
    }
}
