package dev.rowlock.queue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.operate.DoBulkBatch.BatchFailedException;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bulk actions whose batches take longer than a statement may. */
@PostgresTest(migrated = true)
class SlowBulkActionsTest {

    private static final JobFilter MAIL = JobFilter.where().queue(Rooms.QUEUE);

    private static final Duration LIMIT = Duration.ofMillis(300);

    private final Rooms rooms;
    private final Database database;
    private final JobAdmin admin;
    private final DoBulkBatch batch;
    private final BulkBatches batches;

    SlowBulkActionsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        database = rooms.database();
        admin = FrontDoors.admin(database, new RecordedWakeups());
        batch = new DoBulkBatch(database, 1_000, LIMIT);
        batches = new BulkBatches(
                batch, new BulkActionStatements(database), new LimitStatements(database), new RecordedWakeups());
    }

    @AfterEach
    void hurryAgain() {
        rooms.execute("DROP FUNCTION IF EXISTS slow() CASCADE");
    }

    @Test
    void aFilterThatIsSlowForSoManyJobsGetsOnInShorterStretches() {
        dead(60, "(SELECT json_build_object('n', json_agg(n)) FROM generate_series(1, 200) AS n)");
        long id = admin.discard(MAIL.payload("$ ? (exists($.n[*] ? (!exists($.n[*] ? (@ == 0.5)) && @ == 200)))"))
                .id();

        doAll(id);

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(BulkAction.State.FINISHED);
            assertThat(action.done()).isEqualTo(60);
            assertThat(action.refused()).isZero();
        });
    }

    @Test
    void aDeadJobThatTakesTooLongByItselfIsPassedOverAndCounted() {
        dead(12, "'{}'");
        long bad = rooms.number("SELECT min(id) + 5 FROM rowlock.dead");
        slow("dead", "OLD.id = " + bad, 1);
        long id = admin.redrive(MAIL).id();
        rooms.execute("UPDATE rowlock.bulk_action SET stretch = 10");

        doAll(id);

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(BulkAction.State.FINISHED);
            assertThat(action.done()).isEqualTo(11);
            assertThat(action.refused()).isEqualTo(1);
            assertThat(action.refusal()).isEqualTo("57014: canceling statement due to statement timeout");
        });
        assertThat(rooms.roomsOf(bad)).containsExactly("dead");
        assertThat(admin.audit(null, 1).get(0).refused()).isEqualTo(1);
        assertThat(rooms.number("SELECT stretch FROM rowlock.bulk_action")).isGreaterThan(2);
    }

    @Test
    void ofTwoRoomsTheJobThatTakesTooLongIsPassedOverAndNoOther() {
        long[] ready = rooms.ready(3);
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long[] behind = rooms.ready(2);
        slow("waiting", "true", 1);
        long id = admin.purge(Rooms.QUEUE).id();
        rooms.execute("UPDATE rowlock.bulk_action SET stretch = 4");
        rooms.dropDonePartitions();

        doAll(id);

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(BulkAction.State.FINISHED);
            assertThat(action.done()).isEqualTo(ready.length + behind.length);
            assertThat(action.refused()).isEqualTo(1);
        });
        assertThat(rooms.roomsOf(waiting)).containsExactly("waiting");
    }

    @Test
    void aJobThatWasLockedAndTakesTooLongIsPassedOver() throws Exception {
        dead(3, "'{}'");
        long bad = rooms.number("SELECT min(id) FROM rowlock.dead");
        slow("dead", "OLD.id = " + bad, 1);
        long id = admin.redrive(MAIL).id();
        try (OpenTransaction other = new OpenTransaction(database)) {
            lock(other, "SELECT FROM rowlock.dead WHERE id = " + bad + " FOR UPDATE");
            batch.run();
            other.rollback();
        }

        doAll(id);

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(BulkAction.State.FINISHED);
            assertThat(action.done()).isEqualTo(2);
            assertThat(action.refused()).isEqualTo(1);
        });
    }

    @Test
    void aJobIsNotToBlameForATableThatIsLocked() throws Exception {
        dead(3, "'{}'");
        long id = admin.redrive(MAIL).id();
        rooms.execute("UPDATE rowlock.bulk_action SET stretch = 1");

        try (OpenTransaction other = new OpenTransaction(database)) {
            lock(other, "LOCK TABLE rowlock.waiting IN ACCESS EXCLUSIVE MODE");
            assertThatThrownBy(batch::run).isInstanceOf(BatchFailedException.class);
            other.rollback();
        }
        doAll(id);

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.done()).isEqualTo(3);
            assertThat(action.refused()).isZero();
        });
    }

    @Test
    void aQuickActionLooksAtManyJobsAgain() {
        DoBulkBatch patient = new DoBulkBatch(database, 1_000, Duration.ofMinutes(1));
        dead(40, "'{}'");
        long id = admin.redrive(MAIL).id();
        rooms.execute("UPDATE rowlock.bulk_action SET stretch = 1");

        for (int i = 0; i < 5; i++) {
            patient.run();
        }

        assertThat(admin.bulkAction(id)).map(BulkAction::done).contains(31L);
        assertThat(rooms.number("SELECT stretch FROM rowlock.bulk_action")).isEqualTo(32);
    }

    private void doAll(long id) {
        for (int i = 0; i < 60 && !ended(id); i++) {
            batches.runOnce();
        }
    }

    private boolean ended(long id) {
        return admin.bulkAction(id).orElseThrow().state() != BulkAction.State.RUNNING;
    }

    private void slow(String table, String which, int seconds) {
        rooms.execute("""
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF %s THEN PERFORM pg_sleep(%d); END IF;
                    RETURN OLD;
                END $$
                """.formatted(which, seconds));
        rooms.execute("CREATE TRIGGER slow BEFORE DELETE ON rowlock.%s FOR EACH ROW EXECUTE FUNCTION slow()"
                .formatted(table));
    }

    private static void lock(OpenTransaction other, String sql) {
        other.database().alone(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private void dead(int jobs, String payload) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0, 1, 0, 'dead', 'mail', 'send', %s
                  FROM generate_series(1, %d)
                """.formatted(payload, jobs));
    }
}
