package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A step that takes jobs is skipped before it has got any. Nobody need close it. */
@PostgresTest(freshPerTest = true, migrated = true)
class SkippedStepsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Rowlock node;
    private final Workflows workflows;

    SkippedStepsTest(TestDatabase database) {
        node = rowlocks.started(Rowlocks.quick(database.dataSource()).listener(Task.class, (task, job) -> {
            if (failing.contains(task.name())) {
                throw new DoNotRetryException(task.name() + " fails");
            }
            ran.add(task.name());
        }));
        workflows = node.workflows();
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    private long skipped() {
        failing.add("prepare");
        long id = workflows.start(Workflow.named("import")
                .step("prepare", new Task("prepare"))
                .each("rows", List.of(), s -> s.after("prepare").open())
                .step("report", new Task("report"), s -> s.after("rows"))
                .step("alarm", new Task("alarm"), s -> s.afterFailure("rows"))
                .step("tidy", new Task("tidy"), s -> s.afterEnd("rows")));
        await().atMost(LONG).until(() -> ran.containsAll(List.of("alarm", "tidy")));
        return id;
    }

    private WorkflowDetails ended(long id) {
        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().summary().endedAt() != null);
        return workflows.find(id).orElseThrow();
    }

    @Test
    void whatRunsAfterItsSuccessIsSkippedAndWhatRunsAfterItsFailureOrEndRuns() {
        long id = skipped();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(ran).containsExactlyInAnyOrder("alarm", "tidy");
    }

    @Test
    void itComesBackWithARedrive() {
        long id = skipped();
        ended(id);
        failing.clear();

        node.admin()
                .redrive(workflows.jobs(id, "prepare", Long.MIN_VALUE, 1).get(0).id());

        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().summary().state() == WorkflowState.RUNNING
                        && ran.contains("prepare"));
        await().atMost(LONG)
                .ignoreExceptionsInstanceOf(IllegalStateException.class)
                .until(() -> {
                    workflows.add(id, "rows", List.of(new Task("row")));
                    return true;
                });
        await().atMost(LONG).until(() -> ran.contains("row"));
        assertThat(ran).as("it is open again").doesNotContain("report");
        workflows.close(id, "rows");
        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().summary().state() == WorkflowState.COMPLETED);
        assertThat(ran).contains("report");
    }
}
