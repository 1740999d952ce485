package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.EndedJobs;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class JobSearchEndedTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobSearch search;
    private final Instant tomorrow;

    JobSearchEndedTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
        tomorrow = rooms.sql("SELECT date_trunc('day', now(), 'UTC') + interval '1 day'")
                .query(java.time.OffsetDateTime.class)
                .single()
                .toInstant();
    }

    @Test
    void sumsComeByStepQueueAndType() {
        end(1, "mail", "send", "completed", tomorrow);
        end(2, "mail", "send", "completed", tomorrow.plusSeconds(59));
        end(3, "mail", "send", "cancelled", tomorrow.plusSeconds(59));
        end(4, "mail", "send", "completed", tomorrow.plusSeconds(60));
        end(5, "print", "draw", "completed", tomorrow.plusSeconds(60));
        end(6, "mail", "send", "completed", tomorrow.plus(1, ChronoUnit.DAYS));
        JobFilter twoDays = JobFilter.where().ended(tomorrow, tomorrow.plus(2, ChronoUnit.DAYS));
        JobFilter twoMinutes = JobFilter.where().ended(tomorrow, tomorrow.plusSeconds(120));

        assertThat(search.ended(twoMinutes, TimeStep.MINUTE))
                .containsExactly(
                        new EndedJobs(tomorrow, "mail", "send", 2, 1),
                        new EndedJobs(tomorrow.plusSeconds(60), "mail", "send", 1, 0),
                        new EndedJobs(tomorrow.plusSeconds(60), "print", "draw", 1, 0));
        assertThat(search.ended(twoDays.queue("mail"), TimeStep.DAY))
                .containsExactly(
                        new EndedJobs(tomorrow, "mail", "send", 3, 1),
                        new EndedJobs(tomorrow.plus(1, ChronoUnit.DAYS), "mail", "send", 1, 0));
        assertThat(search.ended(twoDays.type("draw").states(JobState.COMPLETED), TimeStep.HOUR))
                .containsExactly(new EndedJobs(tomorrow, "print", "draw", 1, 0));
    }

    @Test
    void sumsOfQueuesComeWhateverTheirTypesAndHoweverManyThereAre() {
        rooms.sql("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT i, ?::timestamptz + i % 60 * interval '1 min', now(), 0, 1, 0, 'completed', 'q' || i / 60, 't' || i % 7, '{}'
                  FROM generate_series(0, 60 * 1000 - 1) AS i
                """).param(tomorrow.atOffset(java.time.ZoneOffset.UTC)).update();
        end(100_000, "q7", "other", "cancelled", tomorrow.plusSeconds(59));
        JobFilter hour = JobFilter.where().ended(tomorrow, tomorrow.plusSeconds(3600));

        assertThat(search.endedByQueue(hour, TimeStep.MINUTE))
                .hasSize(60 * 1000)
                .contains(
                        new EndedJobs.OfQueue(tomorrow, "q7", 1, 1),
                        new EndedJobs.OfQueue(tomorrow.plusSeconds(59 * 60), "q999", 1, 0));
        assertThatThrownBy(() -> search.ended(hour, TimeStep.MINUTE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "there are more than 50000 sums: name a queue or a type, or take longer steps or a shorter time");
        assertThatThrownBy(() -> search.endedByQueue(JobFilter.all(), TimeStep.DAY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onlyTheDaysOfTheRangeAreRead() throws Exception {
        end(1, "mail", "send", "completed", tomorrow);
        end(2, "mail", "send", "completed", tomorrow.plus(3, ChronoUnit.DAYS));

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            new JobSearch(explained.database())
                    .ended(JobFilter.where().ended(tomorrow, tomorrow.plus(1, ChronoUnit.DAYS)), TimeStep.HOUR);

            String day = tomorrow.toString().substring(0, 10).replace("-", "");
            assertThat(explained.lastPlan().lines().filter(line -> line.contains(" on done")))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("done_" + day));
        }
    }

    @Test
    void aRangeIsNeededAndItMayNotHaveTooManySteps() {
        assertThatThrownBy(() -> search.ended(JobFilter.all(), TimeStep.DAY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add ended(from, until)");
        assertThatThrownBy(() ->
                        search.ended(JobFilter.where().time(JobTime.ENDED, TimeRange.from(tomorrow)), TimeStep.DAY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("both bounds");
        assertThatThrownBy(() -> search.ended(
                        JobFilter.where().ended(tomorrow, tomorrow.plus(Duration.ofDays(2))), TimeStep.MINUTE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than 1500 steps of a MINUTE");
    }

    private void end(long id, String queue, String type, String state, Instant at) {
        rooms.sql("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                VALUES (?, ?, now(), 0, 1, 0, ?, ?, ?, '{}')
                """)
                .params(id, at.atOffset(java.time.ZoneOffset.UTC), state, queue, type)
                .update();
    }
}
