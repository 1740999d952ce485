package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Four looks' worth of jobs, none of which takes less than 120 ms. */
@PostgresTest(migrated = true)
class ManyWaitsTest {

    private static final int JOBS = 4 * Waits.ASKED_AT_ONCE;
    private static final Duration SLOW = Duration.ofMillis(120);
    private static final long SECONDS = 15;

    private final Rooms rooms;
    private final AwaitedJobStatements find;

    ManyWaitsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        DelegatingDataSource source = new DelegatingDataSource(test.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                try {
                    Signal.pause(SLOW);
                } catch (InterruptedException e) {
                    throw new SQLException(e);
                }
                return super.getConnection();
            }
        };
        find = new AwaitedJobStatements(new Database(source, rooms.database().schema()));
    }

    /** Nobody brings news: as where a job is cancelled, or notifications are off. */
    @Test
    void eachOfManyWaitsIsAskedForInTurn() throws Exception {
        long[] jobs = rooms.ready(JOBS);
        try (Waits waits = new Waits(find::run, Duration.ofMillis(20), ids -> {})) {
            List<CompletableFuture<Ended>> ends = new ArrayList<>();
            for (long job : jobs) {
                ends.add(waits.await(job));
            }

            List<CompletableFuture<Ended>> some = end(jobs, ends);

            CompletableFuture.allOf(some.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
            assertThat(waits.size()).isEqualTo(JOBS - some.size());
        }
    }

    @Test
    void allOfManyWaitsAreAnnouncedAndNewsOfThemIsHeard() throws Exception {
        long[] jobs = rooms.ready(JOBS);
        ConcurrentHashMap<Long, Boolean> announced = new ConcurrentHashMap<>();
        try (Waits waits = new Waits(find::run, Duration.ofMillis(20), ids -> {
            for (long id : ids) {
                announced.put(id, true);
            }
        })) {
            List<CompletableFuture<Ended>> ends = new ArrayList<>();
            for (long job : jobs) {
                ends.add(waits.await(job));
            }
            Awaitility.await().atMost(Duration.ofSeconds(SECONDS)).until(() -> announced.size() == JOBS);

            List<CompletableFuture<Ended>> some = end(jobs, ends);
            for (int i = 0; i < JOBS; i += 100) {
                waits.ended(jobs[i]);
            }

            CompletableFuture.allOf(some.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Ends each hundredth job. */
    private List<CompletableFuture<Ended>> end(long[] jobs, List<CompletableFuture<Ended>> ends) {
        List<CompletableFuture<Ended>> some = new ArrayList<>();
        IntStream.iterate(0, i -> i < jobs.length, i -> i + 100).forEach(i -> {
            rooms.sql("DELETE FROM rowlock.ready WHERE id = ?").param(jobs[i]).update();
            some.add(ends.get(i));
        });
        return some;
    }
}
