package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of a run whose last job has not ended. */
class OverlapTest extends SchedulingTest {

    OverlapTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void aRunIsSkippedWhileTheLastJobHasNotEnded() {
        recurring.create(hourly());
        runsAtKeeping("11:00:00");

        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00");
        assertThat(details().skipped()).isOne();
        assertThat(skippedInARow()).isOne();

        endAll();
        assertThat(runsAt("13:00:00")).containsExactly("13:00");
        assertThat(skippedInARow()).isZero();
    }

    private long skippedInARow() {
        return sql.sql("SELECT skipped_in_a_row FROM rowlock.schedule")
                .query(Long.class)
                .single();
    }

    @Test
    void aJobThatWaitsForARetryHasNotEnded() {
        recurring.create(hourly());
        runsAtKeeping("11:00:00");
        sql.sql(
                        "WITH j AS (DELETE FROM rowlock.ready RETURNING *) INSERT INTO rowlock.waiting"
                                + " (id, due_at, enqueued_at, rank, attempt, reason, queue, type, payload, headers)"
                                + " SELECT id, ready_at + interval '1 day', enqueued_at, rank, 1, 'retry', queue, type, payload, headers FROM j")
                .update();

        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00");
    }

    @Test
    void runsMayOverlapWhereAllowed() {
        recurring.create(hourly().overlap(Overlap.ALLOW));
        runsAtKeeping("11:00:00");

        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00", "12:00");
    }

    @Test
    void oneRunMayWaitForTheEndOfTheLastJob() {
        recurring.create(hourly().overlap(Overlap.QUEUE_ONE));
        runsAtKeeping("11:00:00");
        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00");
        assertThat(runsAtKeeping("13:00:00")).containsExactly("11:00");
        assertThat(details().skipped()).as("the one of 12:00").isOne();
        assertThat(skippedInARow()).isOne();
        endAll();

        assertThat(runsAt("13:10:00")).containsExactly("13:00");
        assertThat(runsAt("13:20:00")).isEmpty();
        assertThat(runsAt("14:00:00")).containsExactly("14:00");
        assertThat(details().skipped()).isOne();
    }

    @Test
    void aRunThatWaitsOutlastsAMissedOneThatIsSkipped() {
        recurring.create(hourly().overlap(Overlap.QUEUE_ONE).missed(MissedRuns.SKIP));
        runsAtKeeping("11:00:00");
        runsAtKeeping("12:00:00");
        runsAtKeeping("13:05:00");
        endAll();

        assertThat(runsAt("13:06:00")).containsExactly("12:00");
    }

    @Test
    void whileARunWaitsNodesLookOften() {
        recurring.create(hourly().overlap(Overlap.QUEUE_ONE));
        runsAtKeeping("11:00:00");
        assertThat(scheduler.runOnce()).isEqualTo(Duration.ofSeconds(15));
        runsAtKeeping("12:00:00");

        assertThat(scheduler.runOnce()).isLessThanOrEqualTo(Duration.ofMillis(250));
    }

    @Test
    void aJobThatHasNotBegunMakesWayForANewerRun() {
        recurring.create(hourly().overlap(Overlap.CANCEL_RUNNING));
        runsAtKeeping("11:00:00");

        clock.set("2026-11-22T12:00:00Z");
        assertThat(scheduler.runOnce()).as("it goes on").isZero();
        scheduler.runOnce();
        scheduler.runOnce();

        assertThat(runs()).containsExactly("12:00");
        assertThat(sql.sql("SELECT state FROM rowlock.done").query(String.class).list())
                .containsExactly("cancelled");
    }

    @Test
    void aRunningJobIsAskedToStopByWhicheverNodeIsThere() {
        recurring.create(hourly().overlap(Overlap.CANCEL_RUNNING));
        runsAtKeeping("11:00:00");
        sql.sql(
                        "WITH j AS (DELETE FROM rowlock.ready RETURNING *) INSERT INTO rowlock.running"
                                + " (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload, headers)"
                                + " SELECT id, 1, 1, ready_at, enqueued_at, ready_at, rank, 1, 0, queue, type, payload, headers FROM j")
                .update();
        clock.set("2026-11-22T12:00:00Z");
        FireSchedules fire = new FireSchedules(database);
        var look = fire.look(Set.of(), Set.of(), 10);
        fire.run(List.of(Runs.due(look.due().get(0), look.now()))); // and dies

        scheduler.runOnce();

        assertThat(sql.sql("SELECT cancel_requested FROM rowlock.running")
                        .query(boolean.class)
                        .single())
                .isTrue();
        assertThat(runs()).containsExactly("11:00");

        endAll();
        scheduler.runOnce();
        assertThat(runs()).containsExactly("12:00");
    }

    @Test
    void theLastTenJobsAreRememberedTheNewestFirst() {
        recurring.create(hourly().overlap(Overlap.ALLOW));
        assertThat(details().recentJobs()).isEmpty();
        for (int hour = 11; hour < 22; hour++) {
            runsAtKeeping(hour + ":00:00");
        }
        long byHand = recurring.runNow("hourly").orElseThrow();

        List<Long> all = sql.sql("SELECT id FROM rowlock.ready ORDER BY id DESC")
                .query(Long.class)
                .list();
        assertThat(all).hasSize(12).startsWith(byHand);
        assertThat(details().recentJobs()).isEqualTo(all.subList(0, 10));
    }
}
