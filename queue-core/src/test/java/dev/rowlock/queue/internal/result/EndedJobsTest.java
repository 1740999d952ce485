package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** News of ended jobs from the process of a node to one that waits and does not look by itself for an hour. */
@PostgresTest(freshPerTest = true)
@Representative
class EndedJobsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final TestDatabase test;
    private final Rooms rooms;
    private Notifier ofWaiter;
    private Notifier ofNode;
    private StoredJobResults waiter;
    private StoredJobResults node;

    EndedJobsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @BeforeEach
    void open() {
        ofWaiter = new Notifier(new SendWakeup(rooms.database()));
        ofNode = new Notifier(new SendWakeup(rooms.database()));
        waiter = process(ofWaiter);
        node = process(ofNode);
        waiter.listener.open();
        node.listener.open();
        Awaitility.await().until(() -> waiter.listener.hears() && node.listener.hears());
    }

    private StoredJobResults process(Notifier notifier) {
        return new StoredJobResults(
                rooms.database(),
                new JacksonPayloadCodec(JsonMapper.shared()),
                new WakeupBus(notifier),
                test.unpooled(),
                () -> false,
                Duration.ofHours(1));
    }

    @AfterEach
    void close() {
        waiter.close();
        node.close();
        ofWaiter.close();
        ofNode.close();
    }

    @Test
    void whoWaitsHearsOfAJobThatANodeHasEnded() throws Exception {
        ClaimedJob job = rooms.running();
        CompletableFuture<Void> wait = waiter.handle(job.id()).future(LONG);
        awaitAnnounced(job.id());

        rooms.complete(job, true);
        node.observer().recorded(job, new Outcome.Completed(null));

        wait.get(20, TimeUnit.SECONDS);
        assertThat(waiter.waits.size()).isZero();
    }

    @Test
    void aRetryIsNoEnd() {
        ClaimedJob job = rooms.running();
        waiter.handle(job.id()).future(LONG);
        awaitAnnounced(job.id());

        node.observer().recorded(job, new Outcome.Snoozed(Due.after(Duration.ZERO), null));

        assertThat(node.endings.elsewhere.contains(job.id())).isTrue();
    }

    @Test
    void aWaiterInTheNodesOwnProcessHearsOfItWithoutANotification() throws Exception {
        ClaimedJob job = rooms.running();
        CompletableFuture<Void> wait = node.handle(job.id()).future(LONG);
        Awaitility.await().until(() -> waiter.endings.elsewhere.contains(job.id())); // it has looked once

        rooms.complete(job, true);
        node.observer().recorded(job, new Outcome.Completed(null));

        wait.get(20, TimeUnit.SECONDS);
    }

    @Test
    void aWaitThatIsOverLeavesNothingBehind() {
        ClaimedJob job = rooms.running();
        CompletableFuture<Void> cancelled = waiter.handle(job.id()).future(LONG);
        CompletableFuture<Void> timedOut = waiter.handle(job.id()).future(Duration.ofMillis(1));

        cancelled.cancel(false);

        Awaitility.await().until(timedOut::isCompletedExceptionally);
        Awaitility.await().until(() -> waiter.waits.size() == 0);
    }

    @Test
    void aNodeForgetsTheOldestOfTooManyJobs() {
        AwaitedElsewhere elsewhere = new AwaitedElsewhere();

        elsewhere.add(LongStream.rangeClosed(0, AwaitedElsewhere.ROOM).toArray());

        assertThat(elsewhere.contains(0)).isFalse();
        assertThat(elsewhere.contains(1)).isTrue();
        assertThat(elsewhere.remove(1)).isTrue();
        assertThat(elsewhere.remove(1)).isFalse();
    }

    private void awaitAnnounced(long id) {
        Awaitility.await().until(() -> node.endings.elsewhere.contains(id));
    }
}
