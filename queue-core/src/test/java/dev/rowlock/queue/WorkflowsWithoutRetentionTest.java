package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.RemoveOldWorkflows;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What still depends on jobs that have ended works where completed jobs are not kept. */
@PostgresTest(migrated = true)
class WorkflowsWithoutRetentionTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Plain(String name) {}

    record Within(String name) {}

    record Together(String name) {}

    record Sum(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final List<Integer> read = new CopyOnWriteArrayList<>();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final TestDatabase database;
    private Rowlock node;

    WorkflowsWithoutRetentionTest(TestDatabase database) {
        Rooms.emptyIn(database);
        this.database = database;
    }

    private void start() {
        node = rowlocks.started(Rowlocks.quick(database.dataSource())
                .retention(new RetentionSettings(Duration.ZERO, null))
                .listener(Plain.class, (job, context) -> {
                    if (failing.get()) {
                        throw new DoNotRetryException(job.name() + " fails");
                    }
                    if (job.name().equals("reads")) {
                        read.addAll(node.workflows().results(context, "sums", Integer.class));
                    }
                    ran.add(job.name());
                })
                .listener(
                        Within.class, o -> o.queue("within").transactional(true), (job, context) -> ran.add(job.name()))
                .chunkListener(Together.class, o -> o.queue("together").transactional(true), jobs -> {
                    jobs.forEach(job -> ran.add(job.payload().name()));
                    return ChunkResult.ALL_COMPLETED;
                })
                .listener(ListenerDefinition.of("Sum", (job, json) -> Integer.parseInt(json.replaceAll("\\D", "")))
                        .keepResult(true)));
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    private WorkflowDetails ended(long id) throws InterruptedException {
        return node.workflows().await(id, LONG);
    }

    @Test
    void aWorkflowWhoseJobsAllCompleteSucceedsHoweverTheyComplete() throws Exception {
        start();

        long id = node.workflows()
                .start(Workflow.named("order")
                        .step("plain", new Plain("plain"))
                        .each(
                                "within",
                                IntStream.range(0, 30)
                                        .mapToObj(i -> new Within("within"))
                                        .toList(),
                                s -> s.after("plain"))
                        .each(
                                "together",
                                IntStream.range(0, 30)
                                        .mapToObj(i -> new Together("together"))
                                        .toList(),
                                s -> s.after("within"))
                        .step("last", new Plain("last"), s -> s.after("together"))
                        .step(
                                "apologize",
                                new Plain("apologize"),
                                s -> s.afterFailure("plain", "within", "together", "last")));

        WorkflowDetails ended = ended(id);
        assertThat(ended.summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ended.counts()).isEqualTo(new StepCounts(0, 62, 0, 0, 1));
        assertThat(ran).hasSize(62).doesNotContain("apologize");
    }

    @Test
    void laterStepsReadTheResultsOfEarlierOnes() throws Exception {
        start();

        long id = node.workflows()
                .start(Workflow.named("sums")
                        .each("sums", List.of(new Sum(1), new Sum(2), new Sum(3)))
                        .step("reads", new Plain("reads"), s -> s.after("sums")));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(read).containsExactly(1, 2, 3);
    }

    @Test
    void aWorkflowSucceedsAfterTheRedriveOfItsFailedJob() throws Exception {
        failing.set(true);
        start();
        long id = node.workflows()
                .start(Workflow.named("again")
                        .step("first", new Plain("first"))
                        .step("second", new Plain("second"), s -> s.after("first")));
        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        failing.set(false);

        node.admin().redrive(node.workflows().jobs(id, "first", 0, 1).get(0).id());

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(node.workflows()
                                .find(id)
                                .orElseThrow()
                                .summary()
                                .state())
                        .isEqualTo(WorkflowState.COMPLETED));
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void aWorkflowThatHasJustEndedIsFound() throws Exception {
        start();
        long id = node.workflows().start(Workflow.named("short").step("only", new Plain("only")));
        ended(id);

        new RemoveOldWorkflows(new Database(database.dataSource(), new Schema("rowlock"))).run();

        assertThat(node.workflows().find(id)).isPresent();
    }

    @Test
    void whoeverWaitsForAKeptResultGetsIt() throws Exception {
        start();

        long id = node.jobs().enqueue(new Sum(7));

        assertThat(node.results().await(id, LONG, Integer.class)).isEqualTo(7);
    }
}
