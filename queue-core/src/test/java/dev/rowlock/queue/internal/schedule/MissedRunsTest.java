package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of runs whose time nobody was there for, and of a clock that is set back. */
class MissedRunsTest extends SchedulingTest {

    MissedRunsTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void forSeveralMissedRunsThereIsOne() {
        recurring.create(hourly());

        assertThat(runsAt("15:20:00")).containsExactly("15:00");
        assertThat(runsAt("16:00:00")).containsExactly("16:00");
    }

    @Test
    void missedRunsCanBeSkipped() {
        recurring.create(hourly().missed(MissedRuns.SKIP));

        assertThat(runsAt("15:20:00")).isEmpty();
        assertThat(runsAt("16:00:59")).as("not missed yet").containsExactly("16:00");
    }

    @Test
    void missedRunsCanBeMadeUpForInTheirOrder() {
        recurring.create(hourly().overlap(Overlap.ALLOW).missed(MissedRuns.runAll(10, Duration.ofDays(1))));

        assertThat(runsAt("13:20:00")).containsExactly("11:00", "12:00", "13:00");
        assertThat(details().lastRun()).isEqualTo(Instant.parse("2026-11-22T13:00:00Z"));
    }

    @Test
    void ofManyMissedRunsTheNewestCount() {
        recurring.create(hourly().overlap(Overlap.ALLOW).missed(MissedRuns.runAll(2, Duration.ofDays(1))));

        assertThat(runsAt("18:20:00")).containsExactly("17:00", "18:00");
    }

    @Test
    void missedRunsGrowTooOld() {
        recurring.create(hourly().overlap(Overlap.ALLOW).missed(MissedRuns.runAll(100, Duration.ofMinutes(150))));

        assertThat(runsAt("18:20:00")).containsExactly("16:00", "17:00", "18:00");
    }

    @Test
    void aRunThatIsPutOffIsNotTooOldForThat() {
        recurring.create(hourly().overlap(Overlap.ALLOW)
                .jitter(Duration.ofMinutes(59))
                .missed(MissedRuns.runAll(5, Duration.ofSeconds(1))));

        assertThat(runsAt("11:59:30")).containsExactly("11:00");
    }

    @Test
    void manyMissedRunsOfManyComeInSeveralStatements() {
        MissedRuns all = MissedRuns.runAll(1_000, Duration.ofDays(1));
        IntStream.range(0, 5)
                .forEach(i -> recurring.create(
                        RecurringJob.of("each-second-" + i, Schedule.cron("* * * * * *"), new Report("tick"))
                                .overlap(Overlap.ALLOW)
                                .missed(all)));

        assertThat(runsAt("12:00:00")).hasSize(5_000);
    }

    @Test
    void yearsOfMissedSecondsTakeNoTime() {
        recurring.create(RecurringJob.of("each-second", Schedule.cron("* * * * * *"), new Report("tick")));
        clock.set("2036-11-22T10:00:00.500Z");

        scheduler.runOnce();

        assertThat(sql.sql("SELECT headers ->> 'scheduled-at' FROM rowlock.ready")
                        .query(String.class)
                        .list())
                .containsExactly("2036-11-22T10:00:00Z");
    }

    @Test
    void aClockThatIsSetBackBringsNoRunTwice() {
        recurring.create(hourly());
        runsAt("11:00:00");

        clock.set("2026-11-22T09:59:00Z");
        scheduler.runOnce();
        assertThat(runsAt("11:30:00")).isEmpty();
        assertThat(runsAt("12:00:00")).containsExactly("12:00");
    }
}
