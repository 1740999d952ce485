package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.NoSuchStepException;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.WorkflowStep;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A step runs in its turn: after those that it names, as its condition says. */
class WorkflowStepsTest extends WorkflowNodes {

    /** Jobs of a wide step. */
    private static final int WIDE = 3_000;

    WorkflowStepsTest(TestDatabase database) {
        super(database);
    }

    @Test
    void aStepRunsAfterAllThatItNames() {
        start();

        long id = workflows.start(diamond());

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
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

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
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
                .until(() -> workflows.find(id).orElseThrow().summary().state() == WorkflowState.COMPLETED);
        assertThat(ran)
                .containsExactlyInAnyOrder("top", "right", "left", "bottom")
                .endsWith("bottom");
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
                    assertThat(reason.text())
                            .contains("its job %d is dead; redrive it"
                                    .formatted(jobs(id, "bad").get(0)));
                });
        failing.clear();
        first.admin().redrive(jobs(id, "bad").get(0));
        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).contains("held", "skipped").doesNotContain("quiet");
    }

    private WorkflowStep step(long id, String name) {
        return workflows.find(id).orElseThrow().step(name);
    }

    @Test
    void theCountsOfAStepAreFoundByItsName() {
        long id = workflows.start(diamond());

        assertThat(step(id, "left").counts()).isEqualTo(new StepCounts(1, 0, 0, 0, 0));
        assertThatThrownBy(() -> step(id, "lefd"))
                .isInstanceOf(NoSuchStepException.class)
                .hasMessage("workflow %d has no step 'lefd'; it has [top, left, right, bottom]", id);
    }

    @Test
    void aStepWaitsUntilItsJobsHaveEndedInWhateverWay() {
        held.put("top", new CountDownLatch(1));
        first.start();
        long id = workflows.start(diamond());
        assertThat(step(id, "left").waiting()).isTrue();

        first.admin().runNow(jobs(id, "left").get(0));

        await().atMost(LONG).until(() -> step(id, "left").counts().completed() == 1);
        assertThat(step(id, "left").waiting()).isFalse();
        assertThat(step(id, "right").waiting()).isTrue();
    }

    @Test
    void aDelayCountsFromWhenTheStepMayRun() {
        long id = workflows.start(Workflow.named("late")
                .step("one", new Task("one"))
                .step("two", new Task("two"), s -> s.after("one").job(o -> o.delay(Duration.ofMillis(300)))));
        assertThat(first.search().find(jobs(id, "two").get(0)).orElseThrow().waitReason())
                .isEqualTo(WaitReason.PARENTS);
        start();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).containsExactly("one", "two");
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

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).containsExactlyInAnyOrder("one", "a", "b");
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

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(sums).containsExactly(2, 4, 6, 200);
    }
}
