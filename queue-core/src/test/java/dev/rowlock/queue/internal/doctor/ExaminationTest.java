package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Plants causes in a real database and reads what the doctor says. */
@PostgresTest(migrated = true)
@Representative
class ExaminationTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final Rooms admin;

    ExaminationTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rooms.execute("DELETE FROM rowlock.pause");
        admin = new Rooms(new Database(test.superuser(), rooms.database().schema()));
    }

    private Finding only(Check check) {
        return only(rooms, check);
    }

    private static Finding only(Rooms rooms, Check check) {
        List<Finding> findings = new Examination(rooms.database(), List.of(check)).examine();
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    @Test
    void anIdleTransactionThatHoldsBackVacuumIsNamedWithItsProcess() throws SQLException {
        try (Connection holder = test.unpooled().getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1 FROM pg_class LIMIT 1");
            int pid = holder.unwrap(org.postgresql.PGConnection.class).getBackendPID();

            Finding finding = only(admin, ServerChecks.oldTransaction(Duration.ZERO));

            assertThat(finding.code()).isEqualTo("old-transaction");
            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.evidence().rows())
                    .anySatisfy(row -> assertThat(row).contains("pid=" + pid, "idle in transaction"));
            assertThat(only(admin, ServerChecks.oldTransaction(Duration.ofMinutes(5)))
                            .status())
                    .isEqualTo(Status.OK);
        }
    }

    @Test
    void aForgottenPauseIsNamedWithWhoMadeIt() {
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('queue', 'mail', now() - interval '2 days', 'ann'), ('type', 'New', now(), 'bob')");

        Finding finding = only(ServerChecks.oldPause(Duration.ofDays(1)));

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause())
                .startsWith("The queue 'mail' has been paused since")
                .endsWith("by ann.");
        assertThat(finding.evidence().rows()).hasSize(1);
    }

    @Test
    void anInvalidIndexIsNamed() {
        admin.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'rowlock.dead_pkey'::regclass");
        try {
            Finding finding = only(ServerChecks.invalidIndex());

            assertThat(finding.status()).isEqualTo(Status.FAIL);
            assertThat(finding.cause()).startsWith("The index rowlock.dead_pkey of rowlock.dead is not valid");
        } finally {
            admin.execute("UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'rowlock.dead_pkey'::regclass");
        }
        assertThat(only(ServerChecks.invalidIndex()).status()).isEqualTo(Status.OK);
    }

    @Test
    void aTableWithoutAutovacuumIsNamed() {
        rooms.execute("ALTER TABLE rowlock.ready SET (autovacuum_enabled = off)");

        Finding finding = only(ServerChecks.autovacuumOff());

        assertThat(finding.cause()).isEqualTo("Autovacuum is off for table rowlock.ready, so its dead rows stay.");
        rooms.execute(String.valueOf(finding.remedy().sql()));
        assertThat(only(ServerChecks.autovacuumOff()).status()).isEqualTo(Status.OK);
    }

    @Test
    void aReplicationSlotWithoutAReaderIsNamed() {
        admin.sql("SELECT pg_create_physical_replication_slot('left_behind', true)")
                .query()
                .listOfRows();
        try {
            Finding finding = only(ServerChecks.inactiveSlot(0));

            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.cause()).startsWith("Nobody reads the replication slot 'left_behind'");
            assertThat(only(ServerChecks.inactiveSlot(1L << 30)).status()).isEqualTo(Status.OK);
        } finally {
            admin.sql("SELECT pg_drop_replication_slot('left_behind')").query().listOfRows();
        }
    }

    @Test
    void transactionsThatAreReadOnlyByDefaultAreNamed() {
        rooms.execute("ALTER ROLE CURRENT_USER IN DATABASE \"%s\" SET default_transaction_read_only = on"
                .formatted(test.name()));
        try {
            Finding finding = new Examination(
                            new Database(test.unpooled(), new Schema("rowlock")), List.of(ServerChecks.readOnly()))
                    .examine()
                    .get(0);

            assertThat(finding.cause()).startsWith("Transactions are read-only by default");
        } finally {
            rooms.execute("ALTER ROLE CURRENT_USER IN DATABASE \"%s\" RESET default_transaction_read_only"
                    .formatted(test.name()));
        }
    }

    @Test
    void aRoleThatDoesNotSeeOtherSessionsIsToldWhichRightHelps() {
        List<Finding> findings = new Examination(
                        rooms.database(),
                        List.of(
                                ServerChecks.oldTransaction(Duration.ofDays(1)),
                                ServerChecks.oldPause(Duration.ofDays(1))))
                .examine();

        assertThat(findings).extracting(Finding::status).containsExactly(Status.SKIPPED, Status.OK);
        assertThat(String.valueOf(findings.get(0).remedy()))
                .contains("GRANT pg_read_all_stats TO \"%s\"".formatted(test.username()));
    }

    @Test
    void aCheckThatFailsDoesNotStopTheOthers() {
        rooms.execute("ALTER TABLE rowlock.pause RENAME TO gone");
        try {
            List<Finding> findings = new Examination(
                            rooms.database(),
                            List.of(
                                    ServerChecks.oldPause(Duration.ofDays(1)),
                                    ServerChecks.preparedTransaction(Duration.ofDays(1))))
                    .examine();

            assertThat(findings).extracting(Finding::status).containsExactly(Status.CRASHED, Status.OK);
        } finally {
            rooms.execute("ALTER TABLE rowlock.gone RENAME TO pause");
        }
    }

    @Test
    void aHealthyDatabaseGivesNoFinding() {
        rooms.ready(10);

        try (Rowlock rowlock = Rowlock.builder(test.superuser()).build()) {
            assertThat(rowlock.doctor().examine())
                    .allSatisfy(finding -> assertThat(finding.status()).isEqualTo(Status.OK));
        }
    }
}
