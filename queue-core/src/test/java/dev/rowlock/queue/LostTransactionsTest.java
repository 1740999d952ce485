package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A transactional listener whose transaction was lost under its hands is told why, not only that it was. */
@PostgresTest(freshPerTest = true, migrated = true)
class LostTransactionsTest {

    record Work(int number) {}

    private final DataSource pool;
    private final DataSource aside;
    private final JdbcClient sql;
    private final Rowlocks rowlocks = new Rowlocks();

    LostTransactionsTest(TestDatabase database) {
        this.pool = database.dataSource();
        this.aside = database.unpooled();
        this.sql = JdbcClient.create(pool);
        sql.sql("CREATE TABLE mine (n int PRIMARY KEY)").update();
        sql.sql("INSERT INTO mine VALUES (1)").update();
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void theErrorSaysThatTheServerEndedAnIdleTransaction() {
        String message = messageOf(() -> {
            sql.sql("SET LOCAL idle_in_transaction_session_timeout = '100ms'").update();
            int session =
                    sql.sql("SELECT pg_backend_pid()").query(Integer.class).single();
            awaitEnd(session);
        });

        assertThat(message).contains("idle-in-transaction timeout");
    }

    @Test
    void anExceptionOfTheHandlerIsKeptWhereTheRollbackFailsToo() {
        String message = messageOf(() -> {
            int session =
                    sql.sql("SELECT pg_backend_pid()").query(Integer.class).single();
            JdbcClient.create(aside)
                    .sql("SELECT pg_terminate_backend(?)")
                    .param(session)
                    .query(Boolean.class)
                    .single();
            awaitEnd(session);
            throw new IllegalStateException("the partner is closed");
        });

        assertThat(message).isEqualTo("the partner is closed");
    }

    @Test
    void theErrorSaysWhichStatementHadFailedBefore() {
        String message = messageOf(() -> {
            try {
                sql.sql("INSERT INTO mine VALUES (1)").update();
            } catch (DuplicateKeyException e) {
                // The row is there already: so the listener believes.
            }
        });

        assertThat(message)
                .contains("duplicate key value violates unique constraint")
                .contains("the listener went on")
                .contains("ON CONFLICT DO NOTHING");
    }

    private String messageOf(Runnable handler) {
        Rowlock rowlock = rowlocks.started(
                quick(pool).listener(Work.class, o -> o.transactional(true), (work, job) -> handler.run()));
        long id = rowlock.jobs().enqueue(new Work(1), o -> o.maxRetries(0));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> rowlock.search().find(id).orElseThrow().state() == JobState.DEAD);
        return rowlock.search().find(id).orElseThrow().errors().stream()
                .map(FailedAttempt::message)
                .reduce((first, last) -> last)
                .orElseThrow();
    }

    private void awaitEnd(int session) {
        JdbcClient other = JdbcClient.create(aside);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> other.sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ?")
                                .param(session)
                                .query(Integer.class)
                                .single()
                        == 0);
    }
}
