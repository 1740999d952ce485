package dev.rowlock.queue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.schedule.FrozenClock;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When bulk actions go on, by a clock that the test sets. */
@PostgresTest(freshPerTest = true, migrated = true)
class BulkBatchesTest {

    private static final JobFilter MAIL = JobFilter.where().queue(Rooms.QUEUE);

    private final FrozenClock clock;
    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobAdmin admin;
    private final BulkBatches batches;

    BulkBatchesTest(TestDatabase test) throws SQLException {
        clock = new FrozenClock(test);
        rooms = Rooms.emptyIn(test.dataSource(), new Schema("rowlock"));
        Database database = rooms.database();
        admin = FrontDoors.admin(database, wakeups);
        batches = new BulkBatches(
                new DoBulkBatch(database), new BulkActionStatements(database), new LimitStatements(database), wakeups);
    }

    @Test
    void atARateBatchesComeOneByOneAndTheDispatcherHears() {
        dead(100);
        long id = admin.redrive(MAIL, 40).id();

        Duration afterBatch = batches.runOnce();
        Duration tooSoon = batches.runOnce();
        clock.advance(Duration.ofMillis(249));
        batches.runOnce();
        long before = done(id);
        clock.advance(Duration.ofMillis(1));
        batches.runOnce();

        assertThat(afterBatch).isEqualTo(Duration.ZERO);
        assertThat(tooSoon).isEqualTo(Duration.ofMillis(250));
        assertThat(before).isEqualTo(10);
        assertThat(done(id)).isEqualTo(20);
        assertThat(wakeups.heard()).containsExactly("attention", "waiting PT0S", "waiting PT0S");
    }

    @Test
    void whereKeysAreInOrderTheOthersHearThatAFailedJobIsDiscarded() {
        new DeclareLimits(rooms.database())
                .anew(
                        List.of(
                                QueueLimit.of("other").maxRunning(1),
                                QueueLimit.of(Rooms.QUEUE).inOrder(AfterFailure.HOLD)),
                        List.of());
        dead(1);
        admin.discard(MAIL);

        batches.runOnce();
        batches.runOnce();

        assertThat(wakeups.heard()).containsExactly("attention", "keys in " + Rooms.QUEUE, "attention");
    }

    /** Beginning it wakes those who do it. At its end workflows look what has become of their jobs. */
    @Test
    void itsBeginAndItsEndAreSaidToAll() {
        dead(1);
        admin.discard(MAIL);

        batches.runOnce();

        assertThat(wakeups.heard()).containsExactly("attention", "attention");
    }

    @Test
    void timeThatPassedWhileNoNodeWasThereDoesNotComeAsABurst() {
        dead(100);
        long id = admin.redrive(MAIL, 4).id();
        batches.runOnce();
        clock.advance(Duration.ofHours(1));

        batches.runOnce();
        batches.runOnce();
        batches.runOnce();

        assertThat(done(id)).isEqualTo(2);
    }

    @Test
    void aClockThatIsSetBackDoesNotStopAnAction() {
        dead(100);
        long id = admin.redrive(MAIL, 4).id();
        batches.runOnce();
        clock.advance(Duration.ofDays(-1));
        rooms.execute("UPDATE rowlock.dead SET died_at = '2020-01-01'");

        batches.runOnce();

        assertThat(done(id)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "filter = (filter::jsonb || '{\"neverHeardOf\": 99}')::json",
                "filter = '{\"states\": [\"NEVER_HEARD_OF\"]}'",
                "kind = 'explode'"
            })
    void whatANewerReleaseHasAskedForInWaysThatThisOneDoesNotKnowIsLeftToIt(String newer) {
        dead(100);
        long unknown = admin.discard(MAIL).id();
        rooms.execute("ALTER TABLE rowlock.bulk_action DROP CONSTRAINT IF EXISTS bulk_action_kind_check");
        rooms.execute("UPDATE rowlock.bulk_action SET " + newer);
        long known = admin.redrive(MAIL).id();

        batches.runOnce();

        assertThat(done(known)).isEqualTo(100);
        assertThat(rooms.number("SELECT done FROM rowlock.bulk_action WHERE id = " + unknown))
                .isZero();
        batches.runOnce();
        assertThat(batches.runOnce()).isEqualTo(Duration.ofSeconds(15));
        assertThat(admin.bulkActions(null, 10)).extracting(BulkAction::id).contains(known);
    }

    @Test
    void aFilterIsStoredByItsConditionsAlone() {
        admin.discard(MAIL);

        assertThat(
                        rooms.truth(
                                "SELECT filter::text LIKE '%queue%' AND filter::text NOT LIKE '%empty%' FROM rowlock.bulk_action"))
                .isTrue();
    }

    @Test
    void withoutActionsTheChoreRests() {
        assertThat(batches.runOnce()).isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void anActionForWhichTheServerHasNoRoomIsTriedAgainLaterAndLosesNothing() {
        dead(3);
        long id = admin.redrive(MAIL).id();
        rooms.execute("""
                CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE disk_full; END'
                """);
        rooms.execute("CREATE TRIGGER disk_full BEFORE INSERT ON rowlock.waiting EXECUTE FUNCTION disk_full()");

        Duration rest = batches.runOnce();
        rooms.execute("DROP FUNCTION disk_full() CASCADE");
        batches.runOnce();
        long meanwhile = done(id);
        clock.advance(Duration.ofSeconds(10));
        batches.runOnce();

        assertThat(rest).isEqualTo(Duration.ofSeconds(10));
        assertThat(meanwhile).isZero();
        assertThat(done(id)).isEqualTo(3);
    }

    private long done(long id) {
        return admin.bulkAction(id).orElseThrow().done();
    }

    private void dead(int jobs) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0, 1, 0, 'dead', 'mail', 'send', '{}'
                  FROM generate_series(1, %d)
                """.formatted(jobs));
    }
}
