package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.WorkflowFeature;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.result.NoSuchJobException;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Waits that are told by their own process's node: they do not look again by themselves for an hour. */
@PostgresTest(migrated = true)
class StoredJobResultsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Rooms rooms;
    private final WakeupBus wakeups = new WakeupBus(Wakeups.NONE);
    private final StoredJobResults results;

    StoredJobResultsTest(TestDatabase test) {
        this.rooms = Rooms.emptyIn(test);
        this.results = new StoredJobResults(
                rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups, Duration.ofHours(1));
    }

    @AfterEach
    void close() {
        results.close();
    }

    @Test
    void whoWaitsHearsOfAJobThatTheNodeHasEnded() throws Exception {
        ClaimedJob job = rooms.running();
        CompletableFuture<Void> wait = results.handle(job.id()).future(LONG);
        awaitALook();

        rooms.complete(job, true);
        results.observer().recorded(job, new Outcome.Completed(null));

        wait.get(20, TimeUnit.SECONDS);
        assertThat(results.waits.size()).isZero();
    }

    /** One thread asks for all: once it has answered for a job that came later, it has looked for those before. */
    private void awaitALook() throws Exception {
        ClaimedJob later = rooms.running();
        rooms.complete(later, true);
        results.handle(later.id()).future(LONG).get(20, TimeUnit.SECONDS);
    }

    @Test
    void whoWaitsHearsOfAWorkflowWhoseEndTheNodeHasSeen() throws Exception {
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (77, 'w')");
        rooms.execute("INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)"
                + " VALUES (77, 0, 's', 'released', false)");
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (4711, 77, 0)");
        CompletableFuture<?> wait = results.awaitWorkflow(77);
        awaitALook();

        sweep(); // the job is in no room, so it has ended

        wait.get(20, TimeUnit.SECONDS);
    }

    private void sweep() throws Exception {
        Chore sweep = new WorkflowFeature(rooms.database(), wakeups)
                .chores(new TestOwnNode(rooms.node())).stream()
                        .filter(chore -> chore.name().equals("workflow sweep"))
                        .findAny()
                        .orElseThrow();
        while (sweep.runOnce().isZero()) {}
    }

    @Test
    void noJobHasTheIdOfAWorkflow() {
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state) VALUES (78, 'w', 'completed')");

        assertThatThrownBy(() -> results.handle(-78).await(LONG)).isInstanceOf(NoSuchJobException.class);
    }

    @Test
    void aWaitThatIsOverLeavesNothingBehind() {
        ClaimedJob job = rooms.running();
        CompletableFuture<Void> cancelled = results.handle(job.id()).future(LONG);
        CompletableFuture<Void> timedOut = results.handle(job.id()).future(Duration.ofMillis(1));

        cancelled.cancel(false);

        Awaitility.await().until(timedOut::isCompletedExceptionally);
        Awaitility.await().until(() -> results.waits.size() == 0);
    }
}
