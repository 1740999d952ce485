package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Why a job of a workflow waits: for those parents that are missing, and for no others. */
class WorkflowExplainTest extends WorkflowNodes {

    WorkflowExplainTest(TestDatabase database) {
        super(database);
    }

    private String why(long workflow, String step) {
        return first.search()
                .explain(jobs(workflow, step).get(0))
                .orElseThrow()
                .reasons()
                .get(0)
                .text();
    }

    private void awaitCounts(long workflow, StepCounts counts) {
        await().atMost(LONG)
                .untilAsserted(
                        () -> assertThat(workflows.find(workflow).orElseThrow().counts())
                                .isEqualTo(counts));
    }

    @Test
    void aStepThatHasEndedWithAFailureIsNotMissingWhereItsEndIsEnough() {
        failing.add("fails");
        held.put("runs", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("w")
                .step("fails", new Task("fails"))
                .step("runs", new Task("runs"))
                .step("last", new Task("last"), s -> s.afterEnd("fails").after("runs")));
        awaitCounts(id, new StepCounts(2, 0, 1, 0, 0));

        assertThat(why(id, "last")).endsWith("runs after the success of step 'runs' (its only job has not ended).");
    }

    @Test
    void aStepThatWaitsForARedriveIsMissing() {
        failing.add("fails");
        start();
        long id = workflows.start(Workflow.named("w")
                .each("fails", List.of(new Task("fails"), new Task("completes")))
                .step("last", new Task("last"), s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "fails")));
        awaitCounts(id, new StepCounts(1, 1, 1, 0, 0));

        assertThat(why(id, "last")).contains("step 'fails': its job ").endsWith(" is dead; redrive it.");
    }

    @Test
    void aStepThatWaitsItselfIsMissingAlsoWhenItsJobHasBeenRunByHand() {
        held.put("first", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("w")
                .step("first", new Task("first"))
                .step("by-hand", new Task("by-hand"), s -> s.after("first"))
                .step("last", new Task("last"), s -> s.after("by-hand")));
        first.admin().runNow(jobs(id, "by-hand").get(0));
        awaitCounts(id, new StepCounts(2, 1, 0, 0, 0));

        assertThat(why(id, "last")).contains("step 'by-hand' (it waits for other steps itself)");
    }

    @Test
    void aStepThatWasSkippedIsNotMissingThoughItIsOpen() {
        failing.add("fails");
        held.put("runs", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("w")
                .step("fails", new Task("fails"))
                .step("runs", new Task("runs"))
                .each("rows", List.of(), s -> s.after("fails").open())
                .step("last", new Task("last"), s -> s.afterEnd("rows", "runs")));
        await().atMost(LONG)
                .until(() -> JdbcClient.create(database.dataSource())
                                .sql("SELECT count(*) FROM rowlock.workflow_step WHERE state = 'skipped'")
                                .query(Long.class)
                                .single()
                        == 1);

        assertThat(why(id, "last")).endsWith("runs after the end of step 'runs' (its only job has not ended).");
    }
}
