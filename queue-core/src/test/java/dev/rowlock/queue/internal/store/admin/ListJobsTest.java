package dev.rowlock.queue.internal.store.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.ExplainedDatabase;
import dev.rowlock.queue.internal.store.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@PostgresTest
@Representative
class ListJobsTest {

    private final TestDatabase test;
    private final Rooms rooms;

    ListJobsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @ParameterizedTest
    @EnumSource
    void aListOfOneStateReadsOneRoom(JobState state) throws Exception {
        rooms.fill(2_000, rooms.node());
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0, 1, 0, 'completed',
                       'mail', 'send', '{}' FROM generate_series(1, 2000)
                """);
        rooms.execute("ANALYZE");

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            new ListJobs(explained.database()).run(Rooms.QUEUE, state, Long.MAX_VALUE, 10, row -> row.getLong("id"));

            assertThat(explained.lastPlan()).contains(" on " + state.room());
            assertThat(explained.lastPlan().lines().filter(line -> line.contains(" on ")))
                    .as("as far as the page is long")
                    .noneMatch(line -> line.contains("actual rows=2000"));
            assertThat(Stream.of("waiting", "ready", "running", "done", "dead"))
                    .filteredOn(room -> !room.equals(state.room()))
                    .allSatisfy(room -> assertThat(explained.lastPlan()).doesNotContain(" on " + room));
        }
    }
}
