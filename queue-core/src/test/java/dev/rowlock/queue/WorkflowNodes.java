package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.json.JsonMapper;

/** Two nodes whose jobs note that they ran, and wait or fail where a test says so. */
@PostgresTest(migrated = true)
abstract class WorkflowNodes {

    static final Duration LONG = Duration.ofSeconds(40);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    record Task(String name) {}

    record Sum(int number) {}

    final Rowlocks rowlocks = new Rowlocks();
    final List<String> ran = new CopyOnWriteArrayList<>();
    final Set<String> failing = ConcurrentHashMap.newKeySet();
    final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    final TestDatabase database;
    final Rowlock first;
    private final Rowlock second;
    final Workflows workflows;

    WorkflowNodes(TestDatabase database) {
        Rooms.emptyIn(database);
        this.database = database;
        first = node();
        second = node();
        workflows = first.workflows();
    }

    private Rowlock node() {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(Task.class, (task, job) -> run(task, job))
                .listener(doubling()));
    }

    static ListenerDefinition doubling() {
        return ListenerDefinition.of(
                        "Sum", (job, json) -> JSON.readValue(json, Sum.class).number() * 2)
                .keepResult(true);
    }

    private void run(Task task, JobContext job) throws InterruptedException {
        CountDownLatch latch = held.get(task.name());
        while (latch != null && !latch.await(5, TimeUnit.MILLISECONDS)) {
            if (job.stopRequested()) {
                throw new InterruptedException("stopped");
            }
        }
        if (failing.contains(task.name())) {
            throw new DoNotRetryException(task.name() + " fails");
        }
        if (task.name().startsWith("add ")) {
            workflows.add(job, List.of(new Task("added by " + task.name())));
        }
        if (task.name().equals("nested")) {
            workflows.start(job, Workflow.named("inner").step("inside", new Task("inside")));
        }
        ran.add(task.name());
    }

    @AfterEach
    void stop() throws Exception {
        held.values().forEach(CountDownLatch::countDown);
        rowlocks.close();
    }

    void start() {
        first.start();
        second.start();
    }

    WorkflowDetails ended(long id) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(workflows.find(id).orElseThrow())
                        .satisfies(now -> assertThat(now.summary().endedAt())
                                .as(now.toString())
                                .isNotNull()));
        return workflows.find(id).orElseThrow();
    }

    static Workflow diamond() {
        return Workflow.named("diamond")
                .step("top", new Task("top"))
                .step("left", new Task("left"), s -> s.after("top"))
                .step("right", new Task("right"), s -> s.after("top"))
                .step("bottom", new Task("bottom"), s -> s.after("left", "right"));
    }

    List<Long> jobs(long workflow, String step) {
        return workflows.jobs(workflow, step, Long.MIN_VALUE, 1_000).stream()
                .map(WorkflowJob::id)
                .toList();
    }
}
