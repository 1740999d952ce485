package dev.rowlock.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of a cron expression, above all where the clock is changed. */
class CronScheduleTest {

    private static final String NEW_YORK = "America/New_York";

    @Test
    void timesAreThoseOfTheZone() {
        Schedule weekdays = Schedule.cron("0 30 2 * * MON-FRI", "Europe/Berlin");

        assertThat(weekdays.next(Instant.parse("2026-11-20T12:00:00Z"), 2))
                .containsExactly(Instant.parse("2026-11-23T01:30:00Z"), Instant.parse("2026-11-24T01:30:00Z"));
    }

    @Test
    void aTimeIsNotItsOwnNext() {
        Schedule daily = Schedule.cron("@daily");

        assertThat(daily.next(Instant.parse("2026-11-20T00:00:00Z"))).isEqualTo(Instant.parse("2026-11-21T00:00:00Z"));
        assertThat(daily.next(Instant.parse("2026-11-19T23:59:59.999Z")))
                .isEqualTo(Instant.parse("2026-11-20T00:00:00Z"));
    }

    // Clocks in New York go from 2:00 to 3:00 on 8 March 2026, and from 2:00 to 1:00 on 1 November 2026.

    /** Kubernetes and Temporal leave such a day out. */
    @Test
    void aTimeThatTheClockSkipsComesWhenTheSkipIsOver() {
        Schedule daily = Schedule.cron("0 30 2 * * *", NEW_YORK);

        assertThat(daily.next(at("2026-03-07T12:00:00-05:00"), 2))
                .containsExactly(at("2026-03-08T03:00:00-04:00"), at("2026-03-09T02:30:00-04:00"));
    }

    @Test
    void severalTimesThatTheClockSkipsAreOne() {
        Schedule some = Schedule.cron("0 0,20,40 2,3 * * *", NEW_YORK);

        assertThat(some.next(at("2026-03-08T01:59:59-05:00"), 3))
                .containsExactly(
                        at("2026-03-08T03:00:00-04:00"),
                        at("2026-03-08T03:20:00-04:00"),
                        at("2026-03-08T03:40:00-04:00"));
    }

    /** Kubernetes and Temporal run such a job twice on that day. */
    @Test
    void ofATimeThatTheClockShowsTwiceTheFirstOneCounts() {
        Schedule daily = Schedule.cron("0 30 1 * * *", NEW_YORK);

        assertThat(daily.next(at("2026-10-31T12:00:00-04:00"), 2))
                .containsExactly(at("2026-11-01T01:30:00-04:00"), at("2026-11-02T01:30:00-05:00"));
    }

    @Test
    void whoAsksDuringTheRepetitionIsNotToldOfItsTimes() {
        Schedule daily = Schedule.cron("0 45 1 * * *", NEW_YORK);

        assertThat(daily.next(at("2026-11-01T01:30:00-05:00"))).isEqualTo(at("2026-11-02T01:45:00-05:00"));
        assertThat(daily.next(at("2026-11-01T01:30:00-04:00"))).isEqualTo(at("2026-11-01T01:45:00-04:00"));
    }

    /** The same answers as those of Kubernetes and Temporal. */
    @ParameterizedTest
    @CsvSource({
        "0 0 * * * *, 2026-03-08T01:30:00-05:00, 2026-03-08T03:00:00-04:00, 2026-03-08T04:00:00-04:00",
        "0 0 * * * *, 2026-11-01T00:30:00-04:00, 2026-11-01T01:00:00-04:00, 2026-11-01T01:00:00-05:00",
        "0 */30 * * * *, 2026-03-08T01:15:00-05:00, 2026-03-08T01:30:00-05:00, 2026-03-08T03:00:00-04:00",
        "0 */30 * * * *, 2026-11-01T01:15:00-04:00, 2026-11-01T01:30:00-04:00, 2026-11-01T01:00:00-05:00",
        "0 15 * * * *, 2026-03-08T01:00:00-05:00, 2026-03-08T01:15:00-05:00, 2026-03-08T03:15:00-04:00",
        "@hourly, 2026-11-01T00:30:00-04:00, 2026-11-01T01:00:00-04:00, 2026-11-01T01:00:00-05:00"
    })
    void intervalsGoOnWhateverTheClockShows(String cron, String after, String first, String second) {
        assertThat(Schedule.cron(cron, NEW_YORK).next(at(after), 2)).containsExactly(at(first), at(second));
    }

    @Test
    void ofEachSecondHourTheHoursOfTheClockCount() {
        Schedule eachSecond = Schedule.cron("0 0 */2 * * *", "Europe/Berlin");

        assertThat(eachSecond.next(Instant.parse("2026-03-28T22:59:59Z"), 3)) // 2:00 is skipped
                .containsExactly(
                        Instant.parse("2026-03-28T23:00:00Z"),
                        Instant.parse("2026-03-29T02:00:00Z"),
                        Instant.parse("2026-03-29T04:00:00Z"));
        assertThat(eachSecond.next(Instant.parse("2026-10-24T21:59:59Z"), 4)) // 2:00 comes twice
                .containsExactly(
                        Instant.parse("2026-10-24T22:00:00Z"),
                        Instant.parse("2026-10-25T00:00:00Z"),
                        Instant.parse("2026-10-25T01:00:00Z"),
                        Instant.parse("2026-10-25T03:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"33 33 2 * * *", "33 33,44 1 * * *", "0 0 3 * * *", "0 */20 * * * *", "0 15 */2 * * *"})
    void whoeverAsksBetweenTwoTimesIsToldTheSecondOne(String cron) {
        Schedule schedule = Schedule.cron(cron, NEW_YORK);
        for (String start : List.of("2026-03-08T00:00:00-05:00", "2026-11-01T00:00:00-04:00")) {
            Instant after = at(start);
            for (Instant next : schedule.next(after, 6)) {
                for (Instant between = after; between.isBefore(next); between = between.plusSeconds(61)) {
                    assertThat(schedule.next(between)).as("after %s", between).isEqualTo(next);
                }
                after = next;
            }
        }
    }

    @Test
    void aDailyJobRunsOnceADayInAllZonesAndYears() {
        for (String zone :
                List.of("Europe/Berlin", NEW_YORK, "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo", "UTC")) {
            for (String time : List.of("0 0 0", "0 30 1", "0 30 2", "0 59 23")) {
                List<Instant> runs = Schedule.cron(time + " * * *", zone).next(at("2014-01-01T12:00:00Z"), 4_000);

                assertThat(runs.stream().map(run -> run.atZone(ZoneId.of(zone)).toLocalDate()))
                        .as("%s in %s", time, zone)
                        .doesNotHaveDuplicates()
                        .hasSize(4_000);
                assertThat(runs.get(3_999).atZone(ZoneId.of(zone)).toLocalDate())
                        .as("%s in %s", time, zone)
                        .isEqualTo(runs.get(0)
                                .atZone(ZoneId.of(zone))
                                .toLocalDate()
                                .plusDays(3_999));
            }
        }
    }

    // Bad input

    @ParameterizedTest
    @ValueSource(strings = {"", "* * * * *", "0 0 25 * * *", "every day", "0 0 0 * * * *"})
    void whatIsNoCronExpressionIsRefused(String expression) {
        assertThatThrownBy(() -> Schedule.cron(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'%s' does not parse", expression)
                .hasMessageContaining("six fields");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 0 30 2 *", "0 0 0 31 4,6 *"})
    void anExpressionThatNeverFiresIsRefused(String expression) {
        assertThatThrownBy(() -> Schedule.cron(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'%s' never fires", expression);
    }

    @Test
    void aZoneThatDoesNotExistIsRefused() {
        assertThatThrownBy(() -> Schedule.cron("@daily", "Europe/Atlantis"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no time zone 'Europe/Atlantis'");
    }

    private static Instant at(String time) {
        return OffsetDateTime.parse(time).toInstant();
    }
}
