package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How often a node looks what somebody has changed. */
@PostgresTest(freshPerTest = true, migrated = true)
class AttentionTest {

    record Sync(int account) {}

    @Test
    void manyChangesCostANodeFiveBeatsASecond(TestDatabase database) {
        try (TestNode node = quiet(database)) {
            node.listener(Sync.class, (context, payload) -> null).start();
            Awaitility.await().until(() -> node.status().nodeId() > 0);
            long begun = System.nanoTime();
            long before = beats(node);

            int changes = 0;
            while (System.nanoTime() - begun < Duration.ofMillis(1_500).toNanos()) {
                node.admin.pause("other");
                node.admin.resume("other");
                changes += 2;
            }

            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) + 1;
            assertThat(changes).isGreaterThan(50);
            assertThat(beats(node) - before).isBetween(1L, seconds * 5 + 1);
        }
    }

    @Test
    void aCancelAmongManyOtherChangesReachesItsHandler(TestDatabase database) throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        try (TestNode node = quiet(database)) {
            node.listener(Sync.class, (context, payload) -> {
                        runs.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                            throw e;
                        }
                        return null;
                    })
                    .start();
            long id = node.jobs.enqueue(new Sync(7));
            runs.await();
            for (int i = 0; i < 10; i++) {
                node.admin.pause("other");
                node.admin.resume("other");
            }

            node.admin.cancel(id);

            assertThat(interrupted.await(20, TimeUnit.SECONDS))
                    .as("long before the next heartbeat")
                    .isTrue();
        }
    }

    @Test
    void onlyANewFollowerAsksForAttention(TestDatabase database) {
        Rooms rooms = Rooms.emptyIn(database);
        RecordedWakeups wakeups = new RecordedWakeups();
        JobOperations jobs = FrontDoors.jobs(rooms.database(), TestNode.codec(), wakeups);
        ask(jobs);
        rooms.claim(rooms.node(), 1);
        EnqueueResult follower = ask(jobs);
        long before = attentions(wakeups);

        EnqueueResult again = ask(jobs);

        assertThat(again).isEqualTo(new EnqueueResult(follower.id(), Enqueued.ONCE_MORE));
        assertThat(before).isEqualTo(1);
        assertThat(attentions(wakeups)).isEqualTo(1);
    }

    private static EnqueueResult ask(JobOperations jobs) {
        return jobs.enqueueUnique(new Sync(7), UniqueKey.of("sync-7").onceMore(), o -> o.queue(Rooms.QUEUE));
    }

    private static long attentions(RecordedWakeups wakeups) {
        return wakeups.heard().stream().filter("attention"::equals).count();
    }

    /** A node that beats only if there is something to hear. */
    private static TestNode quiet(TestDatabase database) {
        return new TestNode(database).lease(Duration.ofHours(1), Duration.ofMinutes(10), 3);
    }

    private static long beats(TestNode node) {
        return node.elsewhere
                .sql("SELECT beats FROM rowlock.node")
                .query(Long.class)
                .single();
    }
}
