package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactional listeners whose transactions see one snapshot: they cannot change a row that others have changed since. */
@PostgresTest(freshPerTest = true, migrated = true)
class IsolatedListenersTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Work(String what) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final TestDatabase database;

    IsolatedListenersTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTION_READ_COMMITTED, ISOLATION_REPEATABLE_READ, REPEATABLE READ",
        "TRANSACTION_READ_COMMITTED, ISOLATION_SERIALIZABLE, SERIALIZABLE",
        "TRANSACTION_REPEATABLE_READ, ISOLATION_DEFAULT, REPEATABLE READ",
        "TRANSACTION_SERIALIZABLE, ISOLATION_DEFAULT, SERIALIZABLE"
    })
    void whatWouldKeepTheJobFromCompletingIsRefusedAndNamesTheIsolation(
            String ofPool, String ofListener, String named) {
        HikariDataSource pool = pool(ofPool);
        Rowlock rowlock = started(pool, ofListener, job -> {
            refused(() -> job.progress(50, "half"));
            refused(() -> job.extend(Duration.ofHours(1)));
            job.saveCheckpoint("half");
        });

        long id = rowlock.jobs().enqueue(new Work("in one snapshot"));
        await().atMost(LONG).until(() -> state(rowlock, id) == JobState.COMPLETED);

        assertThat(refusals)
                .satisfiesExactly(
                        progress -> assertThat(progress).contains("progress", named),
                        extend -> assertThat(extend).contains("extend", named));
        assertThat(JdbcClient.create(pool)
                        .sql("SELECT text FROM written")
                        .query(String.class)
                        .list())
                .containsExactly("in one snapshot");
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTION_READ_COMMITTED, ISOLATION_DEFAULT", "TRANSACTION_REPEATABLE_READ, ISOLATION_READ_COMMITTED"
    })
    void inReadCommittedAJobThatReportsProgressCompletes(String ofPool, String ofListener) {
        Rowlock rowlock = started(pool(ofPool), ofListener, job -> {
            job.progress(50, "half");
            job.extend(Duration.ofHours(1));
        });

        long id = rowlock.jobs().enqueue(new Work("in many"));

        await().atMost(LONG).until(() -> state(rowlock, id) == JobState.COMPLETED);
    }

    private interface Body {
        void run(JobContext job) throws Exception;
    }

    private Rowlock started(HikariDataSource pool, String isolation, Body body) {
        JdbcClient sql = JdbcClient.create(pool);
        sql.sql("CREATE TABLE written (text text)").update();
        TransactionTemplate transactions = new TransactionTemplate(new JdbcTransactionManager(pool));
        transactions.setIsolationLevelName(isolation);
        return rowlocks.started(Rowlocks.quick(pool)
                .transactions(transactions)
                .listener(Work.class, o -> o.transactional(true), (work, job) -> {
                    sql.sql("SELECT count(*) FROM written").query(Integer.class).single();
                    body.run(job);
                    sql.sql("INSERT INTO written VALUES (?)").param(work.what()).update();
                }));
    }

    private void refused(Runnable call) {
        try {
            call.run();
        } catch (IllegalStateException e) {
            refusals.add(e.getMessage());
        }
    }

    private HikariDataSource pool(String isolation) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setTransactionIsolation(isolation);
        // A pool that still opens connections when it is closed waits for ten seconds.
        config.setMinimumIdle(0);
        return rowlocks.opened(new HikariDataSource(config));
    }

    private static JobState state(Rowlock rowlock, long id) {
        return rowlock.search().find(id).orElseThrow().state();
    }
}
