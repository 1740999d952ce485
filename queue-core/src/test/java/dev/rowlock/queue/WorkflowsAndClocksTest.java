package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The server's clock was days ahead when a workflow was started, and has been set right since. */
@PostgresTest(freshPerTest = true, migrated = true)
class WorkflowsAndClocksTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final TestDatabase database;
    private final Rowlock node;
    private final Workflows workflows;
    private volatile boolean fails;

    WorkflowsAndClocksTest(TestDatabase database) {
        this.database = database;
        node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(ListenerDefinition.of("Task", (job, json) -> run(job, json))
                        .keepResult(true)));
        workflows = node.workflows();
    }

    private Object run(JobContext job, String json) {
        String name = json.contains("first") ? "first" : json.contains("alarm") ? "alarm" : "second";
        if (fails) {
            throw new DoNotRetryException("no");
        }
        if (name.equals("second")) {
            ran.add(workflows.result(job, "first", String.class));
        }
        ran.add(name);
        return name + "'s result";
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    private long startedWhenTheClockWasAhead() {
        long id = workflows.start(Workflow.named("w")
                .step("first", new Task("first"))
                .step("second", new Task("second"), s -> s.after("first"))
                .step("alarm", new Task("alarm"), s -> s.afterFailure("first")));
        JdbcClient.create(database.dataSource())
                .sql("UPDATE rowlock.workflow SET started_at = started_at + interval '3 days'")
                .update();
        node.start();
        return id;
    }

    private WorkflowDetails ended(long id) {
        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().summary().endedAt() != null);
        return workflows.find(id).orElseThrow();
    }

    @Test
    void jobsThatHaveCompletedCountAsCompleted() {
        long id = startedWhenTheClockWasAhead();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).containsExactly("first", "first's result", "second");
    }

    @Test
    void skippedStepsComeBack() {
        fails = true;
        long id = startedWhenTheClockWasAhead();
        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        fails = false;

        for (String step : List.of("first", "alarm")) {
            node.admin()
                    .redrive(workflows.jobs(id, step, Long.MIN_VALUE, 1).get(0).id());
        }

        await().atMost(LONG).until(() -> ran.contains("second"));
    }
}
