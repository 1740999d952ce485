package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the doctor of an application says whose pool is exhausted by the very cause that it looks for. */
@PostgresTest(migrated = true, freshPerTest = true)
class DoctorWithoutPoolTest {

    private final TestDatabase database;
    private final Rowlocks rowlocks = new Rowlocks();

    DoctorWithoutPoolTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    private HikariDataSource poolOfOne() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.unpooled());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        return rowlocks.opened(new HikariDataSource(config));
    }

    @Test
    void itNamesThePoolAndExaminesTheDatabaseAllTheSame() throws Exception {
        HikariDataSource pool = poolOfOne();
        Rowlock rowlock = rowlocks.built(Rowlock.builder(pool).unpooled(database.unpooled()));

        try (Connection taken = pool.getConnection()) {
            List<Finding> findings = rowlock.doctor().examine();

            assertThat(taken.isClosed()).isFalse();
            assertThat(findings)
                    .filteredOn(finding -> finding.status() == Status.FAIL)
                    .extracting(Finding::code)
                    .containsExactly("connection-pool");
            assertThat(findings)
                    .filteredOn(finding -> finding.code().equals("lock-queue"))
                    .extracting(Finding::status)
                    .containsExactly(Status.OK);
        }
    }

    @LongRunning
    @Test
    void itNamesWhoIsInTheWayOfTheWriters() throws Exception {
        HikariDataSource pool = poolOfOne();
        Rowlock rowlock = rowlocks.built(Rowlock.builder(pool).unpooled(database.unpooled()));

        try (Connection reader = database.unpooled().getConnection();
                Connection writer = pool.getConnection()) {
            reader.setAutoCommit(false);
            reader.createStatement().execute("LOCK TABLE rowlock.ready IN SHARE MODE");
            Thread waits = new Thread(() -> deleteAll(writer));
            waits.start();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(this::waitsForSixSeconds);

            List<Finding> findings = rowlock.doctor().examine();

            assertThat(findings).extracting(Finding::code).contains("connection-pool", "lock-queue");
            assertThat(findings)
                    .filteredOn(finding -> finding.status() == Status.FAIL)
                    .extracting(Finding::code)
                    .containsExactly("connection-pool", "lock-queue");
            reader.rollback();
            waits.join();
        }
    }

    private static void deleteAll(Connection connection) {
        try {
            connection.createStatement().execute("DELETE FROM rowlock.ready");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean waitsForSixSeconds() {
        return JdbcClient.create(database.unpooled())
                .sql("""
                        SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND waitstart < now() - interval '6 s'
                                          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
                        """)
                .query(Boolean.class)
                .single();
    }
}
