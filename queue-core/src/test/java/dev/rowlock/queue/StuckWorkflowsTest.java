package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One workflow cannot go on. What only the sweep finds of the others is found all the same, again and again. */
@PostgresTest(freshPerTest = true, migrated = true)
class StuckWorkflowsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final TestDatabase database;
    private final JdbcClient sql;
    private final Rowlock node;
    private final Workflows workflows;

    StuckWorkflowsTest(TestDatabase database) {
        this.database = database;
        sql = JdbcClient.create(database.dataSource());
        node = rowlocks.built(
                Rowlocks.quick(database.dataSource()).listener(Task.class, (task, job) -> run(task.name(), job)));
        workflows = node.workflows();
    }

    private void run(String name, JobContext job) {
        if (name.equals("nest")) {
            workflows.start(job, Workflow.named("inner").each("rows", List.of(), s -> s.open()));
        }
        ran.add(name);
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    private void awaitState(long workflow, WorkflowState state) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(
                                workflows.find(workflow).orElseThrow().summary().state())
                        .isEqualTo(state));
    }

    @Test
    void theServerRefusesAJobOfAStepThatMayRun() {
        sql.sql("""
                ALTER TABLE rowlock.ready ADD CONSTRAINT refused CHECK (payload::text NOT LIKE '%refused%')
                """).update();
        node.start();
        workflows.start(Workflow.named("stuck")
                .step("first", new Task("first"))
                .step("second", new Task("refused"), s -> s.after("first")));
        await().atMost(LONG)
                .until(() -> sql.sql("SELECT count(*) FROM rowlock.workflow_step WHERE state = 'releasing'")
                                .query(Long.class)
                                .single()
                        == 1);

        // The first ones may be found by a walk that was under way.
        for (int i = 0; i < 3; i++) {
            long other = workflows.start(Workflow.named("other").each("rows", List.of(), s -> s.open()));
            workflows.close(other, "rows");
            awaitState(other, WorkflowState.COMPLETED);
        }
        long cancelled = workflows.start(Workflow.named("cancelled").each("rows", List.of(), s -> s.open()));
        workflows.cancel(cancelled, "ann", null);
        awaitState(cancelled, WorkflowState.CANCELLED);
    }

    @Test
    void somebodyAddsToAWorkflowThatIsCancelledWithTheOneAroundIt() throws Exception {
        node.start();
        long outer = workflows.start(Workflow.named("outer").step("nest", new Task("nest")));
        await().atMost(LONG).until(() -> ran.contains("nest"));
        long inner = workflows.list(null, 1).get(0).id();
        long other = workflows.start(Workflow.named("other").each("rows", List.of(), s -> s.open()));
        try (SomebodysTransaction somebody = new SomebodysTransaction(
                database.dataSource(), () -> workflows.add(inner, "rows", List.of(new Task("row"))))) {
            workflows.cancel(outer, "ann", null);
            workflows.cancel(other, "ann", null);

            awaitState(other, WorkflowState.CANCELLED);
            assertThat(somebody.isOpen()).isTrue();
            somebody.commit();
        }
        awaitState(inner, WorkflowState.CANCELLED);
        awaitState(outer, WorkflowState.CANCELLED);
    }
}
