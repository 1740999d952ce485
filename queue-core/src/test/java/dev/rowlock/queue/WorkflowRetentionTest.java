package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.RemoveOldWorkflows;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Retention removes jobs of workflows that are not over yet, or that somebody lets run on. */
@PostgresTest(freshPerTest = true, migrated = true)
class WorkflowRetentionTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    /** More than are read at once. */
    private static final int MANY = 250;

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final CountDownLatch between = new CountDownLatch(1);
    private final TestDatabase database;
    private final JdbcClient sql;
    private final Rowlock node;
    private final Workflows workflows;

    WorkflowRetentionTest(TestDatabase database) {
        this.database = database;
        sql = JdbcClient.create(database.dataSource());
        node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(ListenerDefinition.of("Task", (job, json) -> run(json.replaceAll(".*:\\s*\"|\".*", ""), job))
                        .keepResult(true)));
        workflows = node.workflows();
    }

    private Object run(String name, JobContext job) throws InterruptedException {
        if (failing.contains(name)) {
            throw new DoNotRetryException(name + " fails");
        }
        if (name.equals("between")) {
            between.await(1, TimeUnit.MINUTES);
        }
        if (name.equals("reads")) {
            try {
                workflows.results(job, "parts", String.class);
            } catch (IllegalStateException e) {
                refused.add(e.getMessage());
            }
        }
        ran.add(name);
        return name;
    }

    @AfterEach
    void stop() throws Exception {
        between.countDown();
        rowlocks.close();
    }

    private void awaitState(long workflow, WorkflowState state) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(
                                workflows.find(workflow).orElseThrow().summary().state())
                        .isEqualTo(state));
    }

    private long job(long workflow, String step) {
        return workflows.jobs(workflow, step, Long.MIN_VALUE, 1).get(0).id();
    }

    @Test
    void whoReadsResultsIsToldThatOneIsNotKeptAnyMore() {
        node.start();
        long id = workflows.start(Workflow.named("results")
                .each(
                        "parts",
                        IntStream.range(0, MANY)
                                .mapToObj(i -> new Task("part " + i))
                                .toList())
                .step("between", new Task("between"), s -> s.after("parts"))
                .step("reads", new Task("reads"), s -> s.after("between")));
        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().counts().completed() == MANY);
        long removed = job(id, "parts");
        sql.sql("DELETE FROM rowlock.done WHERE id = ?").param(removed).update();

        between.countDown();

        awaitState(id, WorkflowState.COMPLETED);
        assertThat(refused).singleElement().asString().contains("nothing is kept of what job " + removed);
    }

    @Test
    void aWorkflowWhoseSkippedJobsAreNotKeptAnyMoreHasNotSucceededAfterARedrive() {
        failing.add("first");
        node.start();
        long id = workflows.start(Workflow.named("lost")
                .step("first", new Task("first"))
                .step("second", new Task("second"), s -> s.after("first"))
                .step("third", new Task("third"), s -> s.after("second")));
        awaitState(id, WorkflowState.FAILED);
        sql.sql("DELETE FROM rowlock.done").update();
        failing.clear();

        node.admin().redrive(job(id, "first"));

        await().atMost(LONG)
                .untilAsserted(() ->
                        assertThat(workflows.find(id).orElseThrow().counts()).isEqualTo(new StepCounts(0, 1, 0, 1, 1)));
        awaitState(id, WorkflowState.FAILED);
        assertThat(ran).containsExactly("first");
    }

    @Test
    void aWorkflowStaysWhenOneOfItsJobsHasJustBeenRedriven() throws Exception {
        failing.add("first");
        node.start();
        long id = workflows.start(Workflow.named("old")
                .step("first", new Task("first"))
                .step("second", new Task("second"), s -> s.after("first")));
        awaitState(id, WorkflowState.FAILED);
        node.stop();
        sql.sql("UPDATE rowlock.workflow SET ended_at = ended_at - interval '400 days'")
                .update();

        node.admin().redrive(job(id, "first"));
        new RemoveOldWorkflows(new Database(database.dataSource(), new Schema("rowlock"))).run();

        assertThat(workflows.find(id)).isPresent();
    }
}
