package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 1: enqueued = waiting + ready + running + done + dead + dropped by retention, no job lies in two rooms, and
 * none is without its payload, while those of jobs that are gone are removed.
 * Under a schema name of its own, so that no statement can have another one built in.
 */
@PostgresTest(migrated = true)
@Representative
class ConservationLawTest {

    private static final String LAW = """
            SELECT (SELECT count(*) FROM rowlock.job_details) + (SELECT coalesce(sum(jobs), 0) FROM rowlock.dropped)
            """;

    private static final String IN_TWO_ROOMS =
            "SELECT count(*) FROM (SELECT id FROM rowlock.job_details GROUP BY id HAVING count(*) > 1) AS twice";

    private static final String KEPT_FOR_NOTHING =
            "SELECT count(*) FROM rowlock.payload WHERE job_id NOT IN (SELECT id FROM rowlock.job_details)";

    private static final String WITHOUT_PAYLOAD = "SELECT count(*) FROM rowlock.job_details WHERE payload IS NULL";

    private final Rooms rooms;

    ConservationLawTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database.dataSource(), new Schema("jobs_of_the_shop"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noMoveLosesOrDoublesAJob(long seed) {
        RandomWalk walk = new RandomWalk(rooms, seed).withRetention();

        for (int step = 1; step <= 250; step++) {
            walk.step();

            assertThat(rooms.number(LAW)).as("law after step %d", step).isEqualTo(walk.enqueued());
            assertThat(rooms.number(IN_TWO_ROOMS))
                    .as("doubles after step %d", step)
                    .isZero();
            assertThat(rooms.number(WITHOUT_PAYLOAD))
                    .as("jobs without payload after step %d", step)
                    .isZero();
        }
        assertThat(rooms.number("SELECT count(DISTINCT state) FROM rowlock.job_details"))
                .as("states that the walk has come to")
                .isGreaterThanOrEqualTo(4);
        assertThat(rooms.count("dropped")).isPositive();
        new Leftovers(rooms.database()).payloads(Leftovers.FIRST_ID, 1_000);
        assertThat(rooms.number(KEPT_FOR_NOTHING)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = 4)
    void noMoveLosesOrDoublesAJobWhileOthersMoveJobsToo(long seed) throws Exception {
        List<RandomWalk> walks = LongStream.range(0, 4)
                .mapToObj(walker -> new RandomWalk(rooms, seed * 100 + walker))
                .toList();
        walks.get(0).withRetention();
        ExecutorService threads = Executors.newFixedThreadPool(walks.size());

        try {
            List<Future<Long>> ends =
                    threads.invokeAll(walks.stream().map(this::steps).toList());
            for (Future<Long> end : ends) {
                assertThat(end.get())
                        .as("jobs that were seen in two rooms or without payload")
                        .isZero();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(rooms.number(LAW))
                .isEqualTo(walks.stream().mapToLong(RandomWalk::enqueued).sum());
    }

    private Callable<Long> steps(RandomWalk walk) {
        return () -> {
            long broken = 0;
            for (int step = 0; step < 150; step++) {
                walk.step();
                broken += rooms.number(IN_TWO_ROOMS) + rooms.number(WITHOUT_PAYLOAD);
            }
            return broken;
        };
    }
}
