package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a node does while it can claim jobs and cannot write down what comes of them. */
@PostgresTest(migrated = true, freshPerTest = true)
class UnwrittenOutcomesTest {

    private static final int JOBS = 2_000;

    private final TestDatabase database;
    private final Rowlocks rowlocks = new Rowlocks();

    UnwrittenOutcomesTest(TestDatabase database) {
        this.database = database;
    }

    record Mail(int number) {}

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void noJobBeginsWhoseOutcomeWouldOnlyWaitInMemory() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch free = new CountDownLatch(1);
        Rowlock rowlock = rowlocks.built(quick(database.dataSource()).listener(Mail.class, (mail, job) -> {
            ran.incrementAndGet();
            free.await(20, TimeUnit.MILLISECONDS);
        }));
        rowlock.jobs().enqueueAll(IntStream.range(0, JOBS).mapToObj(Mail::new).toList());

        try (Connection other = database.unpooled().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("LOCK TABLE rowlock.done IN EXCLUSIVE MODE");
            rowlock.start();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> rowlock.status().inVain().toSeconds() > 6);

            int before = ran.get();
            assertThat(before).isBetween(1, JOBS - 1);
            // 200 more would run meanwhile.
            Awaitility.await().during(Duration.ofSeconds(1)).until(() -> ran.get() == before);

            other.rollback();
            free.countDown();
        }

        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> rowlock.status().unwritten() == 0 && ran.get() == JOBS);
        assertThat(rowlock.status().inVain()).isZero();
    }
}
