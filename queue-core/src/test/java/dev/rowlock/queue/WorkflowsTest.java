package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.workflow.RemoveOldWorkflows;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.WorkflowStep;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Jobs that run after others, over two nodes. */
@PostgresTest(freshPerTest = true, migrated = true)
class WorkflowsTest {

    private static final Duration LONG = Duration.ofSeconds(40);

    /** Jobs of a wide step. */
    private static final int WIDE = 10_000;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    record Task(String name) {}

    record Sum(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private final TestDatabase database;
    private final Rowlock first;
    private final Rowlock second;
    private final Workflows workflows;

    WorkflowsTest(TestDatabase database) {
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

    private static ListenerDefinition doubling() {
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

    private void start() {
        first.start();
        second.start();
    }

    private WorkflowDetails ended(long id) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(workflows.find(id).orElseThrow())
                        .satisfies(now -> assertThat(now.summary().endedAt())
                                .as(now.toString())
                                .isNotNull()));
        return workflows.find(id).orElseThrow();
    }

    private static Workflow diamond() {
        return Workflow.named("diamond")
                .step("top", new Task("top"))
                .step("left", new Task("left"), s -> s.after("top"))
                .step("right", new Task("right"), s -> s.after("top"))
                .step("bottom", new Task("bottom"), s -> s.after("left", "right"));
    }

    @Test
    void aStepRunsAfterAllThatItNames() {
        start();

        long id = workflows.start(diamond());

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran).hasSize(4).startsWith("top").endsWith("bottom").contains("left", "right");
        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, 4, 0, 0, 0));
    }

    @Test
    void aFanOutAndAFanIn() {
        start();

        long id = workflows.start(Workflow.named("fan")
                .step("first", new Task("first"))
                .each(
                        "many",
                        IntStream.range(0, WIDE)
                                .mapToObj(i -> new Task("many" + i))
                                .toList(),
                        s -> s.after("first"))
                .step("last", new Task("last"), s -> s.after("many")));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran)
                .hasSize(WIDE + 2)
                .doesNotHaveDuplicates()
                .startsWith("first")
                .endsWith("last");
        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, WIDE + 2, 0, 0, 0));
        assertThat(first.search()
                        .count(JobFilter.where().states(JobState.WAITING, JobState.READY, JobState.RUNNING), 10)
                        .jobs())
                .as("stranded")
                .isZero();
    }

    @Test
    void whatRunsAfterSuccessIsSkippedAfterAFailureAndComesBackWithARedrive() {
        start();
        failing.add("left");

        long id = workflows.start(diamond());

        WorkflowDetails failed = ended(id);
        assertThat(failed.summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(failed.counts()).isEqualTo(new StepCounts(0, 2, 1, 0, 1));
        failing.clear();
        long dead = jobs(id, "left").get(0);
        first.admin().redrive(dead);
        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().summary().state() == WorkflowState.SUCCEEDED);
        assertThat(ran)
                .containsExactlyInAnyOrder("top", "right", "left", "bottom")
                .endsWith("bottom");
    }

    private List<Long> jobs(long workflow, String step) {
        return workflows.jobs(workflow, step, Long.MIN_VALUE, 1_000).stream()
                .map(WorkflowJob::id)
                .toList();
    }

    @Test
    void eachConditionIsKept() {
        start();
        failing.add("bad");

        long id = workflows.start(Workflow.named("conditions")
                .step("bad", new Task("bad"))
                .step("good", new Task("good"))
                .step("skipped", new Task("skipped"), s -> s.after("bad", "good"))
                .step("always", new Task("always"), s -> s.afterEnd("bad", "skipped"))
                .step("alarm", new Task("alarm"), s -> s.afterFailure("bad", "good"))
                .step("quiet", new Task("quiet"), s -> s.afterFailure("good"))
                .step("held", new Task("held"), s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "bad")));

        await().atMost(LONG)
                .until(() -> ran.containsAll(List.of("good", "always", "alarm"))
                        && step(id, "quiet").counts().skipped() == 1
                        && step(id, "skipped").counts().skipped() == 1);
        assertThat(step(id, "held").waiting()).isTrue();
        assertThat(first.search().explain(jobs(id, "held").get(0)).orElseThrow().reasons())
                .anySatisfy(reason -> {
                    assertThat(reason.kind()).isEqualTo(Kind.AFTER_STEPS);
                    assertThat(reason.text()).contains("step 'bad'");
                });
        failing.clear();
        first.admin().redrive(jobs(id, "bad").get(0));
        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran).contains("held", "skipped").doesNotContain("quiet");
    }

    private WorkflowStep step(long id, String name) {
        return workflows.find(id).orElseThrow().steps().stream()
                .filter(step -> step.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    @Test
    void aDelayCountsFromWhenTheStepMayRun() {
        long id = workflows.start(Workflow.named("late")
                .step("one", new Task("one"))
                .step("two", new Task("two"), s -> s.after("one").job(o -> o.delay(Duration.ofMillis(300)))));
        assertThat(first.search().find(jobs(id, "two").get(0)).orElseThrow().waitReason())
                .isEqualTo(WaitReason.PARENTS);
        start();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran).containsExactly("one", "two");
    }

    @Test
    void aJobThatWaitsAndIsCancelledByHandLetsTheOthersKnow() {
        long id = workflows.start(Workflow.named("by-hand")
                .step("one", new Task("one"))
                .step("two", new Task("two"), s -> s.after("one"))
                .step("three", new Task("three"), s -> s.after("two"))
                .step("four", new Task("four"), s -> s.afterEnd("three")));
        first.admin().cancel(jobs(id, "two").get(0));
        start();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(ran).containsExactlyInAnyOrder("one", "four");
        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, 2, 0, 1, 1));
    }

    @Test
    void aMoveThatWasCutShortGoesOn() {
        long id = workflows.start(Workflow.named("cut-short")
                .step("one", new Task("one"))
                .each("two", List.of(new Task("a"), new Task("b")), s -> s.after("one")));
        first.admin().runNow(jobs(id, "two").get(0)); // as if one had been moved before the node died
        JdbcClient.create(database.dataSource())
                .sql("UPDATE rowlock.workflow_step SET state = 'releasing' WHERE name = 'two'")
                .update();

        start();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran).containsExactlyInAnyOrder("one", "a", "b");
    }

    @Test
    void aJobThatWasDiscardedCountsAsFailed() {
        failing.add("one");
        long id = workflows.start(Workflow.named("discarded")
                .step("one", new Task("one"))
                .step("two", new Task("two"), s -> s.after("one"))
                .step("three", new Task("three"), s -> s.afterEnd("one")));
        first.start();
        await().atMost(LONG).until(() -> ran.contains("three"));

        first.admin().discard(jobs(id, "one").get(0));

        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, 1, 1, 0, 1));
        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
    }

    @Test
    void oldWorkflowsAreRemovedWithTheirJobs() {
        long id = workflows.start(diamond());
        first.start();
        ended(id);
        JdbcClient sql = JdbcClient.create(database.dataSource());
        RemoveOldWorkflows remove = new RemoveOldWorkflows(new Database(database.dataSource(), new Schema("rowlock")));
        await().atMost(LONG)
                .until(() -> sql.sql("SELECT count(*) FROM rowlock.retention")
                                .query(Long.class)
                                .single()
                        > 0);
        assertThat(remove.run()).isFalse();

        sql.sql("UPDATE rowlock.workflow SET ended_at = ended_at - interval '400 days'")
                .update();

        assertThat(remove.run()).isTrue();
        assertThat(workflows.find(id)).isEmpty();
        assertThat(sql.sql(
                                "SELECT (SELECT count(*) FROM rowlock.workflow_job) + (SELECT count(*) FROM rowlock.workflow_step)"
                                        + " + (SELECT count(*) FROM rowlock.workflow_edge)")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void cancelEndsAllJobsAndAsksRunningOnesToStop() {
        held.put("long", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("cancelled")
                .step("long", new Task("long"))
                .each("others", List.of(new Task("a"), new Task("b")), s -> s.after("long"))
                .each("open", List.of(), s -> s.open()));
        await().atMost(LONG)
                .until(() -> first.search()
                                .find(jobs(id, "long").get(0))
                                .orElseThrow()
                                .state()
                        == JobState.RUNNING);

        assertThat(workflows.cancel(id, "ada", "wrong order")).isTrue();

        WorkflowDetails ended = ended(id);
        assertThat(ended.summary().state()).isEqualTo(WorkflowState.CANCELLED);
        assertThat(ended.counts().open()).isZero();
        assertThat(ran).isEmpty();
        assertThat(workflows.cancel(id, "ada", null)).isFalse();
        assertThatThrownBy(() -> workflows.add(id, "open", List.of(new Task("late"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("takes no jobs");
    }

    @Test
    void aBatchTakesMoreJobsUntilItIsClosed() {
        start();
        long id = workflows.start(Workflow.named("import")
                .each("pages", List.of(new Task("add one")), s -> s.open())
                .step("report", new Task("report"), s -> s.after("pages"))
                .step("alarm", new Task("alarm"), s -> s.afterFailure("pages")));
        await().atMost(LONG).until(() -> ran.contains("added by add one"));

        workflows.add(id, "pages", List.of(new Task("page 1"), new Task("page 2")));
        await().atMost(LONG).until(() -> ran.contains("page 2") && ran.contains("page 1"));
        assertThat(ran).doesNotContain("report");
        assertThat(workflows.close(id, "pages")).isTrue();

        WorkflowDetails ended = ended(id);
        assertThat(ended.summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran).endsWith("report").doesNotContain("alarm").hasSize(5);
        assertThat(ended.counts()).isEqualTo(new StepCounts(0, 5, 0, 0, 1));
    }

    @Test
    void aWorkflowWithinAnotherCountsAsOneOfItsJobs() {
        held.put("inside", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("outer")
                .step("nest", new Task("nested"))
                .step("after", new Task("after"), s -> s.after("nest")));
        await().atMost(LONG).until(() -> ran.contains("nested"));
        long inner = workflows.list(null, 10).get(0).id();
        assertThat(workflows.find(inner).orElseThrow().within()).isEqualTo(id);
        assertThat(ran).doesNotContain("after");

        held.get("inside").countDown();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(ran).containsExactly("nested", "inside", "after");
    }

    @Test
    void childrenReadTheResultsOfSteps() {
        List<Integer> sums = new CopyOnWriteArrayList<>();
        record Total(String of) {}
        Rowlock third = rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(doubling())
                .listener(Total.class, (total, job) -> {
                    sums.addAll(workflows.results(job, "parts", Integer.class));
                    sums.add(workflows.result(job, "one", Integer.class));
                }));
        third.start();

        long id = workflows.start(Workflow.named("sum")
                .step("one", new Sum(100))
                .each("parts", List.of(new Sum(1), new Sum(2), new Sum(3)))
                .step("total", new Total("all"), s -> s.after("parts", "one")));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
        assertThat(sums).containsExactly(2, 4, 6, 200);
    }

    @Test
    void whatCannotRunIsRefused() {
        assertThatThrownBy(() -> workflows.start(Workflow.named("circle")
                        .step("start", new Task("s"))
                        .step("a", new Task("a"), s -> s.after("b", "start"))
                        .step("b", new Task("b"), s -> s.after("a"))
                        .step("behind", new Task("c"), s -> s.after("b"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[a, b]");
        assertThatThrownBy(() -> workflows.start(Workflow.named("unknown").step("a", new Task("a"), s -> s.after("x"))))
                .hasMessageContaining("'x' that there is not");
        assertThatThrownBy(() -> Workflow.named("w").each("none", List.of())).hasMessageContaining("has no job");
        assertThatThrownBy(() -> Workflow.named("w").step("a", 1).step("a", 2)).hasMessageContaining("two steps 'a'");
        assertThat(workflows.list(null, 10)).isEmpty();
    }

    @Test
    void aWorkflowExistsIfItsTransactionCommits() {
        TransactionTemplate transaction =
                new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
        transaction.executeWithoutResult(status -> {
            workflows.start(diamond());
            status.setRollbackOnly();
        });
        assertThat(workflows.list(null, 10)).isEmpty();
        assertThat(first.search().count(JobFilter.all(), 10).jobs()).isZero();

        long id = transaction.execute(status -> workflows.start(diamond()));
        start();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.SUCCEEDED);
    }
}
