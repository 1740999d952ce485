package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job is found while it ends on a day whose partition is made in the same moment. */
@PostgresTest(migrated = true)
class JobSearchNewDayTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobSearch search;

    JobSearchNewDayTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
    }

    @AfterEach
    void drop() {
        rooms.execute("DROP TABLE rowlock.done_20990101");
    }

    @Test
    void aJobThatGoesToAPartitionThatIsNewerThanThePlanIsFound() throws SQLException {
        long id = rooms.ready();

        // As it was when the look began, or as it is now.
        assertThat(whileItEndsOnANewDay(id, () -> search.find(id)))
                .hasValueSatisfying(job -> assertThat(job.state()).isIn(JobState.READY, JobState.COMPLETED));
    }

    @Test
    void itIsExplainedToo() throws SQLException {
        long id = rooms.ready();

        assertThat(whileItEndsOnANewDay(id, () -> search.explain(id)))
                .hasValueSatisfying(
                        explanation -> assertThat(explanation.state()).isIn(JobState.READY, JobState.COMPLETED));
    }

    /** The look is held up after the server has seen which partitions there are, and before it takes the snapshot of the look. */
    private <T> Optional<T> whileItEndsOnANewDay(long id, Supplier<Optional<T>> look) throws SQLException {
        try (Connection connection = test.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE rowlock." + anyPartition() + " IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Optional<T>> found = CompletableFuture.supplyAsync(look);
            rooms.awaitBlocked();

            rooms.execute(
                    "CREATE TABLE rowlock.done_20990101 (LIKE rowlock.done INCLUDING DEFAULTS INCLUDING CONSTRAINTS)");
            rooms.execute("""
                    ALTER TABLE rowlock.done ATTACH PARTITION rowlock.done_20990101
                    FOR VALUES FROM ('2099-01-01 00:00Z') TO ('2099-01-02 00:00Z')""");
            rooms.execute("""
                    WITH ended AS (DELETE FROM rowlock.ready WHERE id = %d RETURNING *)
                    INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type)
                    SELECT id, '2099-01-01 12:00Z', enqueued_at, rank, 1, 0, 'completed', queue, type FROM ended""".formatted(id));
            connection.commit();

            return found.join();
        }
    }

    private String anyPartition() {
        return rooms.sql(
                        "SELECT min(inhrelid::regclass::text COLLATE \"C\") FROM pg_inherits WHERE inhparent = 'rowlock.done'::regclass")
                .query(String.class)
                .single()
                .replace("rowlock.", "");
    }
}
