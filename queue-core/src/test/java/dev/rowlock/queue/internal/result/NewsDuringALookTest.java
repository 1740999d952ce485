package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Proxies;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@PostgresTest(migrated = true)
class NewsDuringALookTest {

    private final Rooms rooms;
    private final AtomicReference<Runnable> beforeTheAnswer = new AtomicReference<>();
    private final AwaitedJobStatements find;

    NewsDuringALookTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        DelegatingDataSource source = new DelegatingDataSource(test.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                return closing(super.getConnection());
            }
        };
        find = new AwaitedJobStatements(new Database(source, rooms.database().schema()));
    }

    /** The statement has read that the job runs; the job ends, and the news of it arrives; then the answer is noted. */
    @Test
    void anEndThatIsHeardDuringALookIsNotForgottenForItsAnswer() throws Exception {
        ClaimedJob first = rooms.running();
        rooms.complete(first, true);
        try (Waits waits = new Waits(find::run, Duration.ofHours(1), ids -> {})) {
            waits.await(first.id()).get(10, TimeUnit.SECONDS); // from now on a look takes less than what lies together
            for (int i = 0; i < 10; i++) {
                ClaimedJob job = rooms.running();
                beforeTheAnswer.set(() -> {
                    rooms.complete(job, true);
                    waits.ended(job.id());
                });

                CompletableFuture<Ended> end = waits.await(job.id());

                assertThat(end).succeedsWithin(Duration.ofSeconds(10));
            }
        }
    }

    private Connection closing(Connection real) {
        return Proxies.of(Connection.class, (proxy, method, arguments) -> {
            Runnable once = method.getName().equals("close") ? beforeTheAnswer.getAndSet(null) : null;
            if (once != null) {
                once.run();
            }
            return Proxies.call(real, method, arguments);
        });
    }
}
