package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
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
        return Examined.only(rooms.database(), check);
    }

    @Test
    void anIdleTransactionThatHoldsBackVacuumIsNamedWithItsProcess() throws SQLException {
        try (Connection holder = test.unpooled().getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1 FROM pg_class LIMIT 1");
            int pid = holder.unwrap(org.postgresql.PGConnection.class).getBackendPID();

            Finding finding = only(admin, check("old-transaction", Map.of("open_minutes", 0)));

            assertThat(finding.code()).isEqualTo("old-transaction");
            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.evidence().rows())
                    .anySatisfy(row -> assertThat(row).contains("pid=" + pid, "idle in transaction"));
            assertThat(only(admin, check("old-transaction")).status()).isEqualTo(Status.OK);
        }
    }

    @Test
    void aForgottenPauseIsNamedWithWhoMadeIt() {
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('queue', 'mail', now() - interval '2 days', 'ann'), ('type', 'New', now(), 'bob')");

        Finding finding = only(check("old-pause"));

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause())
                .startsWith("The queue 'mail' has been paused since")
                .endsWith("by ann.");
        assertThat(finding.evidence().sql()).contains("paused_at > ? * interval");
        assertThat(finding.evidence().rows()).hasSize(1);
    }

    @Test
    void anInvalidIndexIsNamed() {
        admin.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'rowlock.dead_pkey'::regclass");
        try {
            Finding finding = only(check("invalid-index"));

            assertThat(finding.status()).isEqualTo(Status.FAIL);
            assertThat(finding.cause()).startsWith("The index rowlock.dead_pkey of rowlock.dead is not valid");
        } finally {
            admin.execute("UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'rowlock.dead_pkey'::regclass");
        }
        assertThat(only(check("invalid-index")).status()).isEqualTo(Status.OK);
    }

    @Test
    void aTableWithoutAutovacuumIsNamed() {
        rooms.execute("ALTER TABLE rowlock.ready SET (autovacuum_enabled = off)");

        Finding finding = only(check("autovacuum-off"));

        assertThat(finding.cause()).isEqualTo("Autovacuum is off for table rowlock.ready, so its dead rows stay.");
        rooms.execute(String.valueOf(finding.remedy().sql()));
        assertThat(only(check("autovacuum-off")).status()).isEqualTo(Status.OK);
    }

    @Test
    void aReplicationSlotWithoutAReaderIsNamed() {
        admin.sql("SELECT pg_create_physical_replication_slot('left_behind', true)")
                .query()
                .listOfRows();
        try {
            Finding finding = only(check("inactive-slot", Map.of("bytes", 0)));

            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.cause()).startsWith("Nobody reads the replication slot 'left_behind'");
            assertThat(only(check("inactive-slot")).status()).isEqualTo(Status.OK);
        } finally {
            admin.sql("SELECT pg_drop_replication_slot('left_behind')").query().listOfRows();
        }
    }

    @Test
    void transactionsThatAreReadOnlyByDefaultAreNamed() {
        rooms.execute("ALTER ROLE CURRENT_USER IN DATABASE \"%s\" SET default_transaction_read_only = on"
                .formatted(test.name()));
        try {
            Finding finding = Examined.only(new Database(test.unpooled(), new Schema("rowlock")), check("read-only"));

            assertThat(finding.cause()).startsWith("Transactions are read-only by default");
        } finally {
            rooms.execute("ALTER ROLE CURRENT_USER IN DATABASE \"%s\" RESET default_transaction_read_only"
                    .formatted(test.name()));
        }
    }

    @Test
    void aRoleThatDoesNotSeeOtherSessionsIsToldWhichRightHelps() {
        List<Finding> findings = Examined.examine(rooms.database(), check("old-transaction"), check("old-pause"));

        assertThat(findings).extracting(Finding::status).containsExactly(Status.SKIPPED, Status.OK);
        assertThat(String.valueOf(findings.get(0).remedy()))
                .contains("GRANT pg_read_all_stats TO \"%s\"".formatted(test.username()));
    }

    @Test
    void aCheckThatFailsDoesNotStopTheOthers() {
        rooms.execute("ALTER TABLE rowlock.pause RENAME TO gone");
        try {
            List<Finding> findings =
                    Examined.examine(rooms.database(), check("old-pause"), check("prepared-transaction"));

            assertThat(findings).extracting(Finding::status).containsExactly(Status.CRASHED, Status.OK);
        } finally {
            rooms.execute("ALTER TABLE rowlock.gone RENAME TO pause");
        }
    }

    @Test
    void aCheckThatWaitsForALockIsStopped() throws SQLException {
        try (Connection changer = test.unpooled().getConnection();
                Statement statement = changer.createStatement()) {
            changer.setAutoCommit(false);
            statement.execute("LOCK TABLE rowlock.pause IN ACCESS EXCLUSIVE MODE");

            List<Finding> findings =
                    Examined.examine(rooms.database(), check("old-pause"), check("prepared-transaction"));

            assertThat(findings).extracting(Finding::status).containsExactly(Status.CRASHED, Status.OK);
            assertThat(findings.get(0).cause()).contains("lock timeout");
            changer.rollback();
        }
    }

    @Test
    void aCheckThatTakesLongIsStopped() {
        assertThat(asking("SELECT pg_sleep(60)").cause()).contains("statement timeout");
    }

    @Test
    void aCheckCannotWrite() {
        assertThat(asking("DELETE FROM rowlock.pause RETURNING kind").cause()).contains("read-only transaction");
    }

    private Finding asking(String sql) {
        Check check = Check.check("planted", "All is well.")
                .sql(sql)
                .finds(Check.Diagnosis.warn("It is not.", "Make it so."));
        Finding finding = Examined.examine(rooms.database(), check).get(0);
        assertThat(finding.status()).isEqualTo(Status.CRASHED);
        return finding;
    }

    @Test
    void aRoleThatMayNotReadATableIsToldWhoGrantsItsRights() {
        rooms.execute("REVOKE ALL ON rowlock.pause FROM CURRENT_USER");
        try {
            Finding finding = only(check("old-pause"));

            assertThat(finding.status()).isEqualTo(Status.SKIPPED);
            assertThat(finding.cause()).contains("permission denied for table pause");
            assertThat(String.valueOf(finding.remedy())).contains("SchemaScript prints them (--grant)");
        } finally {
            rooms.execute("GRANT ALL ON rowlock.pause TO CURRENT_USER");
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

    @Test
    void whoComesMeanwhileGetsTheFindingsOfTheExaminationThatRuns() throws Exception {
        AtomicInteger examinations = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        Doctor doctor = examining(() -> {
            examinations.incrementAndGet();
            awaitQuietly(end);
        });

        List<Thread> threads = new ArrayList<>();
        List<FutureTask<List<Finding>>> answers = new ArrayList<>();
        for (int caller = 0; caller < 5; caller++) {
            FutureTask<List<Finding>> answer = new FutureTask<>(doctor::examine);
            Thread thread = new Thread(answer);
            thread.start();
            threads.add(thread);
            answers.add(answer);
        }
        await().until(() -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        end.countDown();

        for (FutureTask<List<Finding>> answer : answers) {
            assertThat(answer.get()).extracting(Finding::cause).containsExactly("All is well.");
        }
        assertThat(examinations).hasValue(1);
        assertThat(doctor.examine()).extracting(Finding::cause).containsExactly("All is well.");
        assertThat(examinations).hasValue(2);
    }

    @Test
    void anExaminationThatFailsDoesNotStopTheNextOne() {
        AtomicInteger examinations = new AtomicInteger();
        Doctor doctor = examining(() -> {
            if (examinations.incrementAndGet() == 1) {
                throw new OutOfMemoryError("planted");
            }
        });

        assertThatThrownBy(doctor::examine).hasMessage("planted");

        assertThat(doctor.examine()).extracting(Finding::cause).containsExactly("All is well.");
    }

    private Doctor examining(Runnable look) {
        Check check = Check.check("fine", "All is well.")
                .look("", statement -> {
                    look.run();
                    return List.of();
                })
                .finds(Check.Diagnosis.warn("It is not.", "Make it so."));
        return new Examination(rooms.database(), List.of(check), new LateQueues(LateAfter.DEFAULT), null, null);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
