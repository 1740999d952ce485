package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.store.outcome.ProbeDone;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Results that the database does not accept, more than are kept in memory. */
@PostgresTest(freshPerTest = true, migrated = true)
class GivenUpResultsTest {

    record Report(int number) {}

    private static final int JOBS = 14;
    private static final String RESULT = "x".repeat(1_000_000);

    @Test
    void anErrorWhileResultsAreGivenUpForgetsNoOutcome(TestDatabase database) {
        AtomicInteger probes = new AtomicInteger();
        DelegatingDataSource pool = new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (probing() && probes.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("for a test");
                }
                return super.getConnection();
            }
        };
        try (TestNode node = new TestNode(database, pool)) {
            refuseResults(node);
            node.listener(Report.class, (context, payload) -> RESULT);
            node.start();
            long[] ids = IntStream.range(0, JOBS)
                    .mapToLong(i -> node.jobs.enqueue(new Report(i)))
                    .toArray();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> probes.get() > 1);

            node.elsewhere.sql("DROP TRIGGER refuse ON rowlock.done").update();

            Awaitility.await().atMost(Duration.ofSeconds(75)).until(() -> node.count("running") == 0);
            assertThat(Arrays.stream(ids)
                            .mapToObj(id -> node.search.find(id).orElseThrow().state()))
                    .hasSize(JOBS)
                    .isSubsetOf(JobState.COMPLETED, JobState.FAILED);
        }
    }

    private static boolean probing() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == ProbeDone.class));
    }

    private static void refuseResults(TestNode node) {
        node.elsewhere
                .sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '42501'; END $$")
                .update();
        node.elsewhere
                .sql("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW"
                        + " WHEN (new.result IS NOT NULL AND new.type <> 'rowlock.probe') EXECUTE FUNCTION refuse()")
                .update();
    }
}
