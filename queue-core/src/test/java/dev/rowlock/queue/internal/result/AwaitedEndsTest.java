package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.result.AwaitedEnds.AwaitedElsewhere;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.WorkflowFeature;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.result.NoSuchJobException;
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
@PostgresTest(migrated = true)
@Representative
class AwaitedEndsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final TestDatabase test;
    private final Rooms rooms;
    private Notifier ofWaiter;
    private Notifier ofNode;
    private WakeupBus busOfNode;
    private StoredJobResults waiter;
    private StoredJobResults node;

    AwaitedEndsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @BeforeEach
    void open() {
        ofWaiter = new Notifier(new SendWakeup(rooms.database()));
        ofNode = new Notifier(new SendWakeup(rooms.database()));
        busOfNode = new WakeupBus(ofNode);
        waiter = process(new WakeupBus(ofWaiter));
        node = process(busOfNode);
        waiter.listener.open();
        node.listener.open();
        Awaitility.await().until(() -> waiter.listener.hears() && node.listener.hears());
    }

    private StoredJobResults process(WakeupBus wakeups) {
        return new StoredJobResults(
                rooms.database(),
                new JacksonPayloadCodec(JsonMapper.shared()),
                wakeups,
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
    void whoWaitsHearsOfAWorkflowWhoseEndANodeHasSeen() throws Exception {
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (77, 'w')");
        rooms.execute("INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)"
                + " VALUES (77, 0, 's', 'released', false)");
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (4711, 77, 0)");
        CompletableFuture<?> wait = waiter.awaitWorkflow(77);
        CompletableFuture<?> inTheNodesProcess = node.awaitWorkflow(77);
        awaitAnnounced(-77);
        Awaitility.await().until(() -> waiter.ends.elsewhere.contains(-77)); // both have looked once

        sweep(); // the job is in no room, so it has ended

        wait.get(20, TimeUnit.SECONDS);
        inTheNodesProcess.get(20, TimeUnit.SECONDS);
        assertThat(waiter.waits.size()).isZero();
    }

    private void sweep() throws Exception {
        Chore sweep = new WorkflowFeature(rooms.database(), busOfNode)
                .chores(new TestOwnNode(rooms.node())).stream()
                        .filter(chore -> chore.name().equals("workflow sweep"))
                        .findAny()
                        .orElseThrow();
        while (sweep.runOnce().isZero()) {}
    }

    @Test
    void noJobHasTheIdOfAWorkflow() {
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state) VALUES (78, 'w', 'succeeded')");

        assertThatThrownBy(() -> waiter.handle(-78).await(LONG)).isInstanceOf(NoSuchJobException.class);
    }

    @Test
    void aRetryIsNoEnd() {
        ClaimedJob job = rooms.running();
        waiter.handle(job.id()).future(LONG);
        awaitAnnounced(job.id());

        node.observer().recorded(job, new Outcome.Snoozed(Due.after(Duration.ZERO), null));

        assertThat(node.ends.elsewhere.contains(job.id())).isTrue();
    }

    @Test
    void aWaiterInTheNodesOwnProcessHearsOfItWithoutANotification() throws Exception {
        ClaimedJob job = rooms.running();
        CompletableFuture<Void> wait = node.handle(job.id()).future(LONG);
        Awaitility.await().until(() -> waiter.ends.elsewhere.contains(job.id())); // it has looked once

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
        Awaitility.await().until(() -> node.ends.elsewhere.contains(id));
    }
}
