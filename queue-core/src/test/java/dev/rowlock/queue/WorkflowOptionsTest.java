package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Rooms;
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

/** Options of single jobs of a step. */
@PostgresTest(migrated = true)
class WorkflowOptionsTest {

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final JdbcClient sql;
    private final Rowlock rowlock;
    private final Workflows workflows;

    WorkflowOptionsTest(TestDatabase database) {
        Rooms.emptyIn(database);
        sql = JdbcClient.create(database.dataSource());
        rowlock = rowlocks.built(
                Rowlocks.quick(database.dataSource()).listener(Task.class, (task, job) -> ran.add(task.name())));
        workflows = rowlock.workflows();
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    @Test
    void jobsOfAStepMayHaveOptionsOfTheirOwn() {
        long id = workflows.start(Workflow.named("options")
                .step("first", new Task("first"))
                .each(
                        "rest",
                        List.of(
                                JobRequest.of(
                                        new Task("a"), o -> o.key("tenant-7").priority(3)),
                                JobRequest.of(new Task("b"), o -> o.header("region", "eu")),
                                new Task("c")),
                        s -> s.after("first").open()));
        workflows.add(id, "rest", List.of(JobRequest.of(new Task("d"), o -> o.key("tenant-8"))));

        assertThat(sql.sql("SELECT concat_ws('|', payload ->> 'name', job_key, rank, headers ->> 'region')"
                                + " FROM rowlock.waiting ORDER BY id")
                        .query(String.class)
                        .list())
                .containsExactly("a|tenant-7|-3", "b|0|eu", "c|0", "d|tenant-8|0");
        rowlock.start();
        workflows.close(id, "rest");
        await().until(() -> workflows.find(id).orElseThrow().summary().state() == WorkflowState.COMPLETED);
        assertThat(ran).containsExactlyInAnyOrder("first", "a", "b", "c", "d");
    }

    @Test
    void optionsOfAJobThatAStepCannotKeepAreRefused() {
        Workflow unique =
                Workflow.named("unique").each("step", List.of(JobRequest.of(new Task("a"), o -> o.unique("a"))));
        Workflow late = Workflow.named("late")
                .step("first", new Task("first"))
                .each(
                        "step",
                        List.of(JobRequest.of(new Task("a"), o -> o.delay(Duration.ofHours(1)))),
                        s -> s.after("first"));
        Workflow both = Workflow.named("both")
                .each(
                        "step",
                        List.of(JobRequest.of(new Task("a"), o -> o.priority(1))),
                        s -> s.job(o -> o.priority(2)));

        assertThatThrownBy(() -> workflows.start(unique)).hasMessageContaining("cannot have unique key");
        assertThatThrownBy(() -> workflows.start(late)).hasMessageContaining("name a delay for the step");
        assertThatThrownBy(() -> workflows.start(both)).hasMessageContaining("brings its own options along");
        assertThat(workflows.list(null, 10)).isEmpty();
    }
}
