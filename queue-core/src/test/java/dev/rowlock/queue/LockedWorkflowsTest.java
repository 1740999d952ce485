package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A transaction of the application that has changed a workflow stays open: others go on. */
@PostgresTest(freshPerTest = true, migrated = true)
class LockedWorkflowsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch first = new CountDownLatch(1);
    private final TestDatabase database;
    private final Rowlock node;
    private final Workflows workflows;

    LockedWorkflowsTest(TestDatabase database) {
        this.database = database;
        node = rowlocks.started(Rowlocks.quick(database.dataSource()).listener(Task.class, (task, job) -> {
            if (task.name().equals("first")) {
                first.await(1, TimeUnit.MINUTES);
            }
        }));
        workflows = node.workflows();
    }

    @AfterEach
    void stop() throws Exception {
        first.countDown();
        rowlocks.close();
    }

    private long started(String name) {
        return workflows.start(Workflow.named(name)
                .step("first", new Task(name.equals("locked") ? "first" : "other"))
                .each("rows", List.of(new Task("row")), s -> s.after("first").open())
                .step("last", new Task("last"), s -> s.after("rows")));
    }

    private boolean ended(long workflow) {
        return workflows.find(workflow).orElseThrow().summary().endedAt() != null;
    }

    private void othersGoOnWhile(LongConsumer changes) throws Exception {
        long locked = started("locked");
        try (SomebodysTransaction somebody =
                new SomebodysTransaction(database.dataSource(), () -> changes.accept(locked))) {
            first.countDown();
            await().atMost(LONG)
                    .until(() -> workflows
                                    .find(locked)
                                    .orElseThrow()
                                    .step("first")
                                    .counts()
                                    .completed()
                            == 1);

            long other = started("other");
            workflows.close(other, "rows");

            await().atMost(LONG).until(() -> ended(other));
            assertThat(somebody.isOpen()).isTrue();
            somebody.commit();
        }
        workflows.close(locked, "rows");
        await().atMost(Duration.ofSeconds(90)).until(() -> ended(locked));
    }

    @Test
    void jobsAreAddedToAStep() throws Exception {
        othersGoOnWhile(workflow -> workflows.add(workflow, "rows", List.of(new Task("another"))));
    }

    @Test
    void aJobIsCancelled() throws Exception {
        othersGoOnWhile(workflow -> node.admin()
                .cancel(workflows
                        .jobs(workflow, "rows", Long.MIN_VALUE, 1)
                        .get(0)
                        .id()));
    }

    @Test
    void aWorkflowIsCancelled() throws Exception {
        othersGoOnWhile(workflow -> {
            JdbcClient.create(database.dataSource())
                    .sql("SELECT id FROM rowlock.workflow WHERE id = ? FOR UPDATE")
                    .param(workflow)
                    .query(Long.class)
                    .single();
            workflows.cancel(workflow, "ann", null);
        });
    }

    @Test
    void aJobIsRunningThatIsToBeCancelledWithItsWorkflow() throws Exception {
        long locked = started("locked");
        long running = workflows.jobs(locked, "first", Long.MIN_VALUE, 1).get(0).id();
        await().atMost(LONG)
                .until(() -> node.search().find(running).orElseThrow().state() == JobState.RUNNING);
        try (SomebodysTransaction somebody = new SomebodysTransaction(
                database.dataSource(), () -> node.admin().cancel(running))) {
            workflows.cancel(locked, "ann", null);

            long other = started("other");
            workflows.close(other, "rows");

            await().atMost(LONG).until(() -> ended(other));
            assertThat(somebody.isOpen()).isTrue();
            somebody.commit();
        }
        await().atMost(Duration.ofSeconds(90)).until(() -> ended(locked));
    }
}
