package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** One connection of a process listens, whether its node needs it or those who wait. */
@PostgresTest(freshPerTest = true, migrated = true)
class ResultsListenerTest {

    private static final Duration DAY = Duration.ofDays(1);

    /** A silent connection is checked after ten seconds, and has another last statement then. */
    private static final Duration BEFORE_ITS_CHECK = Duration.ofSeconds(5);

    private static final String LISTENING =
            "FROM pg_stat_activity WHERE datname = current_database() AND query = 'SET idle_session_timeout = 0'";

    record Slow(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final JdbcClient jdbc;
    private final AtomicInteger opened = new AtomicInteger();
    private final Rowlock rowlock;

    ResultsListenerTest(TestDatabase database) {
        jdbc = JdbcClient.create(database.dataSource());
        DelegatingDataSource counted = new DelegatingDataSource(database.unpooled()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (Thread.currentThread().getName().equals("rowlock-notifications")) {
                    opened.incrementAndGet();
                }
                return super.getConnection();
            }
        };
        rowlock =
                rowlocks.built(quick(database.dataSource()).unpooled(counted).listener(Slow.class, (slow, job) -> {}));
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void whatAWaitBeforeTheStartOpenedIsClosedOnceTheNodeHears() {
        awaitSomeJob();
        Awaitility.await().until(() -> listening() == 1);

        rowlock.start();

        Awaitility.await().until(() -> rowlock.status().hears());
        Awaitility.await().atMost(BEFORE_ITS_CHECK).until(() -> listening() == 1);
    }

    @Test
    void aWaitWhileTheNodesConnectionIsReplacedOpensNoOther() {
        rowlock.start();
        Awaitility.await().until(() -> listening() == 1 && rowlock.status().hears());
        jdbc.sql("SELECT pg_terminate_backend(pid) " + LISTENING)
                .query(Boolean.class)
                .single();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !rowlock.status().hears());

        awaitSomeJob();

        Awaitility.await().until(() -> rowlock.status().hears());
        assertThat(opened).hasValue(2);
    }

    private void awaitSomeJob() {
        long id = rowlock.jobs().enqueue(new Slow("one"), options -> options.delay(DAY));
        rowlock.results().handle(id).future(DAY);
    }

    private long listening() {
        return jdbc.sql("SELECT count(*) " + LISTENING).query(Long.class).single();
    }
}
