package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Plants causes in a server of its own, which has the settings that they need, and reads what the doctor says. */
@Representative
class DatabaseChecksTest {

    private static final String QUERY_CANCELED = "57014";

    private static EmbeddedServer server;
    private static TestDatabase test;
    private static Rooms rooms;
    private static Rooms admin;

    @BeforeAll
    static void startServer() {
        server = EmbeddedServer.start(Map.of(
                "max_connections",
                "20",
                "max_prepared_transactions",
                "5",
                "autovacuum",
                "off",
                "wal_level",
                "logical"));
        test = server.newDatabase();
        rooms = Rooms.emptyIn(test);
        admin = new Rooms(new Database(test.superuser(), rooms.database().schema()));
        admin.execute("GRANT pg_read_all_stats TO " + test.username()); // which most checks cannot do without
    }

    @AfterAll
    static void stopServer() {
        test.close();
        server.close();
    }

    @BeforeEach
    void clear() {
        rooms.clear();
    }

    private static Finding only(Check check) {
        return Examined.only(rooms.database(), check);
    }

    private static Check wraparound(long warnFrom, long failFrom) {
        return check("wraparound", Map.of("warn_from", warnFrom, "fail_from", failFrom));
    }

    private static Connection session() throws SQLException {
        return test.unpooled().getConnection();
    }

    private static int pid(Connection session) throws SQLException {
        return session.unwrap(org.postgresql.PGConnection.class).getBackendPID();
    }

    private static void execute(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void useTransactions(int count) throws SQLException {
        try (Connection session = session()) {
            execute(
                    session,
                    "DO $$ BEGIN FOR i IN 1..%d LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$"
                            .formatted(count));
        }
    }

    @Test
    void aPreparedTransactionThatNobodyEndsIsNamedAndItsRemedyEndsIt() throws SQLException {
        try (Connection forgetful = session()) {
            execute(forgetful, "BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'it''s {late}'");
        }

        Finding finding = only(check("prepared-transaction", Map.of("prepared_minutes", 0)));

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause()).startsWith("The transaction 'it''s {late}' was prepared at ");
        assertThat(only(check("prepared-transaction")).status()).isEqualTo(Status.OK);
        rooms.execute(String.valueOf(finding.remedy().sql()));
        assertThat(only(check("prepared-transaction", Map.of("prepared_minutes", 0)))
                        .status())
                .isEqualTo(Status.OK);
    }

    @Test
    void aLogicalSlotThatNobodyReadsHoldsBackVacuumOfTheCatalogsAndIsNamed() throws SQLException {
        admin.sql("SELECT pg_create_logical_replication_slot('left_subscriber', 'pgoutput')")
                .query()
                .listOfRows();
        useTransactions(500);

        Finding finding = only(check("held-by-slot", Map.of("transactions", 400)));

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause())
                .startsWith("The replication slot 'left_subscriber' holds back vacuum by ")
                .endsWith("dead rows of the system catalogs stay.");
        assertThat(only(check("held-by-slot")).status()).isEqualTo(Status.OK);
        admin.sql(String.valueOf(finding.remedy().sql())).query().listOfRows();
        assertThat(only(check("held-by-slot", Map.of("transactions", 400))).status())
                .isEqualTo(Status.OK);
    }

    @Test
    void aDatabaseNearTheEndOfTransactionIdsIsNamed() throws SQLException {
        long age = rooms.number("SELECT max(greatest(age(datfrozenxid), mxid_age(datminmxid))) FROM pg_database");
        assertThat(only(wraparound(age + 500, age + 900)).status()).isEqualTo(Status.OK);

        useTransactions(600);

        Finding warning = only(wraparound(age + 500, age + 100_000));
        assertThat(warning.status()).isEqualTo(Status.WARN);
        assertThat(warning.cause()).contains("transactions old");
        assertThat(only(wraparound(age + 500, age + 550)).status()).isEqualTo(Status.FAIL);
    }

    @Test
    void deadRowsThatNobodyVacuumsAreNamedUntilTheirTableIsVacuumed() {
        rooms.ready(2_000);
        rooms.execute("DELETE FROM rowlock.ready");

        await().untilAsserted(() -> assertThat(
                        only(check("dead-rows", Map.of("rows", 1_000))).cause())
                .startsWith("Table rowlock.ready has ")
                .contains("never"));

        assertThat(only(check("dead-rows")).status()).isEqualTo(Status.OK);
        rooms.execute("VACUUM rowlock.ready");
        rooms.ready(2_000);
        rooms.execute("DELETE FROM rowlock.ready");
        // Before PostgreSQL 15 figures come some time after what they count, and each in its own.
        await().until(() -> rooms.number(
                        "SELECT coalesce(max(n_dead_tup), 0) FROM pg_stat_all_tables WHERE relid = 'rowlock.ready'::regclass AND last_vacuum IS NOT NULL")
                >= 1_000);
        assertThat(only(check("dead-rows", Map.of("rows", 1_000))).status()).isEqualTo(Status.OK);
    }

    @Test
    void aNotificationQueueThatAListenerInATransactionFillsIsNamed() throws SQLException {
        try (Connection listener = session()) {
            execute(listener, "LISTEN planted");
            listener.setAutoCommit(false);
            execute(listener, "SELECT 1");
            rooms.sql("SELECT pg_notify('planted', repeat('x', 7000) || i) FROM generate_series(1, 50) i")
                    .query()
                    .listOfRows();

            Finding finding = only(check("notification-queue", Map.of("warn_percent", 0.0001)));

            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.evidence().rows())
                    .anySatisfy(row -> assertThat(row).contains("pid=" + pid(listener), "idle in transaction"));
            assertThat(only(check("notification-queue")).status()).isEqualTo(Status.OK);
        }
        await().untilAsserted(() -> assertThat(only(check("notification-queue", Map.of("warn_percent", 0.0001)))
                        .status())
                .isEqualTo(Status.OK));
    }

    @Test
    void aChangeOfATableThatWaitsBeforeItsWritersIsNamedWithWhoIsInItsWay() throws Exception {
        try (Connection blocker = session();
                Connection changer = session()) {
            blocker.setAutoCommit(false);
            execute(blocker, "SELECT * FROM rowlock.ready");
            AtomicReference<@Nullable String> ended = new AtomicReference<>();
            Thread change = new Thread(() -> {
                try {
                    execute(changer, "LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE");
                } catch (SQLException e) {
                    ended.set(e.getSQLState());
                }
            });
            changer.setAutoCommit(false);
            change.start();
            try {
                await().untilAsserted(() -> assertThat(only(check("lock-queue", Map.of("waits_seconds", 0)))
                                .status())
                        .isEqualTo(Status.FAIL));

                Finding finding = only(check("lock-queue", Map.of("waits_seconds", 0)));

                assertThat(finding.cause())
                        .startsWith("Process %d has waited for ".formatted(pid(changer)))
                        .contains("(AccessExclusiveLock) on rowlock.ready")
                        .endsWith("Process %d is in its way.".formatted(pid(blocker)));
                assertThat(only(check("lock-queue", Map.of("waits_seconds", 300)))
                                .status())
                        .isEqualTo(Status.OK);
                rooms.sql(String.valueOf(finding.remedy().sql())).query().listOfRows();
                change.join();
                assertThat(ended.get()).isEqualTo(QUERY_CANCELED);
            } finally {
                blocker.rollback();
                change.join();
                changer.rollback();
            }
        }
        assertThat(only(check("lock-queue", Map.of("waits_seconds", 0))).status())
                .isEqualTo(Status.OK);
    }

    @Test
    void writersThatWaitForATableThatSomebodyHasLockedAreNamed() throws Exception {
        try (Connection blocker = session();
                Connection writer = session()) {
            blocker.setAutoCommit(false);
            execute(blocker, "LOCK TABLE rowlock.pause IN SHARE MODE");
            AtomicReference<@Nullable String> failed = new AtomicReference<>();
            Thread write = new Thread(() -> {
                try {
                    execute(writer, "DELETE FROM rowlock.pause");
                } catch (SQLException e) {
                    failed.set(e.getSQLState());
                }
            });
            write.start();
            try {
                await().untilAsserted(() -> assertThat(only(check("lock-queue", Map.of("waits_seconds", 0)))
                                .status())
                        .isEqualTo(Status.FAIL));

                assertThat(only(check("lock-queue", Map.of("waits_seconds", 0))).cause())
                        .startsWith("Process %d has waited for ".formatted(pid(writer)))
                        .contains("(RowExclusiveLock) on rowlock.pause")
                        .endsWith("Process %d is in its way.".formatted(pid(blocker)));
            } finally {
                blocker.rollback();
                write.join();
            }
            assertThat(failed.get()).isNull();
        }
    }

    @Test
    void aServerWhoseConnectionsAreNearlyTakenIsNamedWithWhoHasMost() throws SQLException {
        assertThat(only(check("connections")).status()).isEqualTo(Status.OK);
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < 15; i++) {
                taken.add(session());
            }

            Finding finding = only(check("connections"));

            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.cause())
                    .contains("of the 17 connections")
                    .contains("by role '%s'".formatted(test.username()));
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    /** Smaller pools would not help there. */
    @Test
    void connectionsThatMostlyWaitForLocksAreNamedWithThat() throws Exception {
        List<Connection> taken = new ArrayList<>();
        List<Thread> waiting = new ArrayList<>();
        try (Connection blocker = session()) {
            execute(blocker, "SELECT pg_advisory_lock(77)");
            for (int i = 0; i < 14; i++) {
                taken.add(session());
            }
            for (Connection connection : taken.subList(0, 6)) {
                Thread waits = new Thread(() -> {
                    try {
                        execute(connection, "SELECT pg_advisory_lock_shared(77)");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                waits.start();
                waiting.add(waits);
            }
            await().untilAsserted(() -> assertThat(only(check("connections")).cause())
                    .endsWith("are taken, and 6 of them wait for locks."));
            execute(blocker, "SELECT pg_advisory_unlock(77)");
        } finally {
            for (Thread waits : waiting) {
                waits.join();
            }
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    @Test
    void aRoleThatHasTakenItsConnectionsIsNamedAndItsRemedyHelps() {
        admin.execute("ALTER ROLE \"%s\" CONNECTION LIMIT 1".formatted(test.username()));
        try {
            Finding finding = only(check("role-limits"));

            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.cause())
                    .startsWith("Role %s may have 1 connections and has ".formatted(test.username()));
            admin.execute(String.valueOf(finding.remedy().sql()));
            assertThat(only(check("role-limits")).status()).isEqualTo(Status.OK);
        } finally {
            admin.execute("ALTER ROLE \"%s\" CONNECTION LIMIT -1".formatted(test.username()));
        }
    }

    @Test
    void aRoleWhoseStatementsMayTakeNoTimeIsNamed() {
        admin.execute("ALTER ROLE \"%s\" SET statement_timeout = '900ms'".formatted(test.username()));
        try {
            Finding finding =
                    Examined.only(new Database(test.unpooled(), rooms.database().schema()), check("role-limits"));

            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.cause())
                    .startsWith("The statement_timeout of role %s is 900 ms: ".formatted(test.username()));
        } finally {
            admin.execute("ALTER ROLE \"%s\" SET statement_timeout = '1min'".formatted(test.username()));
        }
    }

    @Test
    void clocksThatDifferAreNamedWithTheSideThatIsAhead() {
        InstantSource system = InstantSource.system();

        Finding ahead = only(DatabaseChecks.clock(() -> system.instant().minusSeconds(60)));
        Finding behind = only(DatabaseChecks.clock(() -> system.instant().plusSeconds(60)));

        assertThat(ahead.status()).isEqualTo(Status.INFO);
        assertThat(ahead.cause()).contains("ms ahead of that of this process");
        assertThat(behind.cause()).contains("ms behind that of this process");
        assertThat(only(DatabaseChecks.clock(system)).status()).isEqualTo(Status.OK);
    }

    @Test
    void aSlowRoundTripIsNoDifferenceOfClocks() {
        Instant start = Instant.now();
        List<Instant> looks = new ArrayList<>(List.of(start.minusSeconds(60), start.plusSeconds(60)));

        assertThat(only(DatabaseChecks.clock(() -> looks.remove(0))).status()).isEqualTo(Status.OK);
    }
}
