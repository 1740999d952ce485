package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An application declares a limit for a queue that has none yet. */
@PostgresTest(freshPerTest = true, migrated = true)
class DeclaredLimitsTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    record Send(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final TestDatabase database;

    DeclaredLimitsTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        rowlocks.close();
    }

    @Test
    void itHoldsFromTheFirstJobOnHoweverLongItTakesToStore() throws Exception {
        Rooms rooms = Rooms.emptyIn(database);
        Rowlock node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .limit(QueueLimit.of("default").maxRunning(1))
                .listener(Send.class, (send, job) -> run()));
        node.jobs().enqueueAll(IntStream.range(0, 8).mapToObj(Send::new).toList());

        try (Connection other = database.unpooled().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("LOCK TABLE rowlock.queue_limit IN SHARE MODE");
            node.start();
            rooms.awaitBlocked();
            // Beats go on, so it has had time to claim.
            await().atMost(LONG)
                    .until(() ->
                            most.get() > 1 || rooms.number("SELECT coalesce(max(beats), 0) FROM rowlock.node") > 5);
            other.rollback();
        }
        mayEnd.countDown();

        await().atMost(LONG).until(() -> ended.get() == 8);
        assertThat(most).hasValue(1);
    }

    private void run() throws InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        mayEnd.await(1, TimeUnit.MINUTES);
        running.decrementAndGet();
        ended.incrementAndGet();
    }
}
