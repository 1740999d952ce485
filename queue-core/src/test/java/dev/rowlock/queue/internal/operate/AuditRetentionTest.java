package dev.rowlock.queue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.janitor.AgreeRetention;
import dev.rowlock.queue.internal.operate.OperateFeature.AuditRetention;
import dev.rowlock.queue.internal.schedule.FrozenClock;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long the audit is kept, by a clock that the test sets. */
@PostgresTest(freshPerTest = true, migrated = true)
class AuditRetentionTest {

    private static final JobFilter MAIL = JobFilter.where().queue(Rooms.QUEUE);

    private final FrozenClock clock;
    private final Rooms rooms;
    private final Database database;
    private final JobAdmin admin;

    AuditRetentionTest(TestDatabase test) throws SQLException {
        clock = new FrozenClock(test);
        rooms = Rooms.emptyIn(test.dataSource(), new Schema("rowlock"));
        database = rooms.database();
        admin = FrontDoors.admin(database, new RecordedWakeups());
    }

    @Test
    void theAuditAndEndedActionsAreKeptForNinetyDays() {
        DoBulkBatch batch = new DoBulkBatch(database);
        dead(1_500);
        long ended = admin.redrive(MAIL).id();
        batch.run();
        batch.run();
        admin.pause("mail");
        dead(1);
        long going = admin.redrive(MAIL, 1).id();
        clock.advance(Duration.ofDays(90).plusSeconds(1));
        admin.resume("mail");

        retention(RetentionSettings.DEFAULT).runOnce();

        assertThat(admin.bulkAction(ended)).isEmpty();
        assertThat(admin.bulkAction(going)).map(BulkAction::state).contains(BulkAction.State.RUNNING);
        assertThat(admin.audit(null, 10)).extracting(AuditEntry::action).containsExactly("resume", "redrive");
    }

    @Test
    void theAuditIsKeptAsLongAsTheSettingsSay() {
        admin.pause("mail");
        clock.advance(Duration.ofDays(2));
        admin.resume("mail");
        clock.advance(Duration.ofDays(3).minusSeconds(1));
        retention(audit(5)).runOnce();
        int justBefore = admin.audit(null, 10).size();
        clock.advance(Duration.ofSeconds(2));
        rooms.execute("DELETE FROM rowlock.chore"); // which is due by the server's own clock

        retention(audit(5)).runOnce();

        assertThat(justBefore).isEqualTo(2);
        assertThat(admin.audit(null, 10)).extracting(AuditEntry::action).containsExactly("resume");
    }

    @Test
    void theLongestTimeOfAllNodesCounts() {
        admin.pause("mail");
        clock.advance(Duration.ofDays(10));
        new AgreeRetention(database).run(audit(20));

        retention(audit(5)).runOnce();

        assertThat(admin.audit(null, 10)).hasSize(1);
    }

    @Test
    void moreThanAThousandOldLinesAreRemovedWithoutARest() {
        rooms.execute("""
                INSERT INTO rowlock.audit (at, who, action, subject, jobs)
                SELECT statement_timestamp() - interval '91 days', 'ann', 'pause', 'mail', 0 FROM generate_series(1, 1500)
                """);
        AuditRetention retention = retention(RetentionSettings.DEFAULT);

        Duration afterFirst = retention.runOnce();
        long between = rooms.count("audit");
        Duration afterSecond = retention.runOnce();

        assertThat(afterFirst).isEqualTo(Duration.ZERO);
        assertThat(between).isEqualTo(500);
        assertThat(afterSecond).isEqualTo(Duration.ofHours(1));
        assertThat(rooms.count("audit")).isZero();
    }

    private AuditRetention retention(RetentionSettings settings) {
        return new AuditRetention(
                settings, new AgreeRetention(database), new TakeChore(database), new AuditStatements(database));
    }

    private static RetentionSettings audit(int days) {
        return new RetentionSettings(Duration.ofDays(7), null, Duration.ofDays(days));
    }

    private void dead(int jobs) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0, 1, 0, 'dead', 'mail', 'send', '{}'
                  FROM generate_series(1, %d)
                """.formatted(jobs));
    }
}
