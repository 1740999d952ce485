package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Jobs begin as soon as a limit has room for them, on a node that polls each ten minutes. */
@PostgresTest(freshPerTest = true, migrated = true)
class RoomWithoutPollsTest {

    record Work(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> begun = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final JdbcClient database;
    private final Rowlock rowlock;

    RoomWithoutPollsTest(TestDatabase database) {
        this.database = JdbcClient.create(database.dataSource());
        rowlock = rowlocks.built(Rowlocks.quick(database.dataSource())
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(4)
                        .withFetch(new FetchSettings(Duration.ofMinutes(10), Duration.ofMillis(250), 100)))
                .listener(Work.class, (work, job) -> {
                    begun.add(work.name());
                    if (work.name().equals("long")) {
                        mayEnd.await();
                    }
                }));
    }

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        rowlocks.close();
    }

    @Test
    void aJobThatWasClaimedBeforeThereWasALimitMakesRoomWhenItEnds() {
        enqueue("long", "a");
        rowlock.start();
        await().until(() -> begun.contains("long"));

        rowlock.limits().set(QueueLimit.of("default").maxRunningPerKey(1));
        // The chore that counts it may hold its row while a claim would count it: docs/deliberate.md.
        await("the job counts against the limit")
                .until(() -> database.sql("SELECT gate FROM rowlock.running")
                        .query(String.class)
                        .list()
                        .equals(List.of("a")));
        enqueue("next", "a");
        enqueue("other", "b");
        await().until(() -> begun.contains("other"));
        assertThat(begun).doesNotContain("next");
        mayEnd.countDown();

        await().until(() -> begun.contains("next"));
    }

    @Test
    void aKeyDoesNotWaitForTheRateOfAnotherOne() {
        rowlock.limits()
                .set(QueueLimit.of("default").rate(Rate.perSecond(2).burst(1)).ratePerKey(Rate.perHour(1)));
        enqueue("a0", "a");
        enqueue("a1", "a");
        rowlock.start();
        await().until(() -> begun.contains("a0"));

        enqueue("b0", "b");

        await().until(() -> begun.contains("b0"));
        assertThat(begun).doesNotContain("a1");
    }

    private void enqueue(String name, String key) {
        rowlock.jobs().enqueue(new Work(name), o -> o.key(key));
    }
}
