package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The server's queue of notifications is full, because a session of another application listens and sleeps in a transaction. */
@PostgresTest
class FullNotificationsTest {

    private static final String TOO_MANY = "54000";

    private final TestDatabase shared;
    private EmbeddedServer server;
    private TestDatabase database;
    private Connection sleeper;

    FullNotificationsTest(TestDatabase shared) {
        this.shared = shared;
    }

    record Mail(int number) {}

    @BeforeEach
    void fill() throws SQLException {
        int version = JdbcClient.create(shared.dataSource())
                .sql("SELECT current_setting('server_version_num')::int")
                .query(Integer.class)
                .single();
        assumeTrue(version >= 170000, "a queue that is small enough to be filled needs PostgreSQL 17");
        server = EmbeddedServer.start(Map.of("max_notify_queue_pages", "64"));
        database = server.newDatabase();
        sleeper = database.unpooled().getConnection();
        execute(sleeper, "LISTEN other");
        sleeper.setAutoCommit(false);
        execute(sleeper, "SELECT 1");
        try (Connection other = database.unpooled().getConnection()) {
            while (notified(other)) {
                // until there is no room for one more
            }
        }
    }

    private static boolean notified(Connection connection) throws SQLException {
        try {
            execute(connection, "SELECT pg_notify('other', repeat('x', 1000) || random())");
            return true;
        } catch (SQLException e) {
            if (!TOO_MANY.equals(e.getSQLState())) {
                throw e;
            }
            return false;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @AfterEach
    void close() throws SQLException {
        if (server != null) {
            sleeper.close();
            database.close();
            server.close();
        }
    }

    @Test
    void jobsAreEnqueuedAndRunThoughNobodyCanBeNotified() throws Exception {
        CountDownLatch ran = new CountDownLatch(4);
        try (Rowlock rowlock = Rowlocks.quick(database.dataSource())
                .listener(Mail.class, (mail, job) -> ran.countDown())
                .build()) {
            JdbcClient sql = JdbcClient.create(database.dataSource());
            rowlock.jobs().enqueue(new Mail(1));
            sql.sql("SELECT rowlock.enqueue('Mail', '{\"number\": 2}')").query().singleValue();
            new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()))
                    .executeWithoutResult(status -> {
                        rowlock.jobs().enqueue(new Mail(3));
                        sql.sql("SELECT rowlock.enqueue('Mail', '{\"number\": 4}')")
                                .query()
                                .singleValue();
                    });

            rowlock.start();

            assertThat(ran.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }
}
