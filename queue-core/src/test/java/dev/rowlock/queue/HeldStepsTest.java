package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A step waits for the redrive of a job that has failed, as long as somebody can redrive it. */
class HeldStepsTest extends WorkflowNodes {

    HeldStepsTest(TestDatabase database) {
        super(database);
    }

    private static Workflow held(String name) {
        return Workflow.named("held")
                .step("first", new Task(name))
                .step("held", new Task("held"), s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "first"))
                .step("last", new Task("last"), s -> s.afterEnd("held"));
    }

    private long inner(long outer) {
        await().atMost(LONG)
                .until(() ->
                        ran.contains("nested") && workflows.list(null, 1).get(0).id() != outer);
        return workflows.list(null, 1).get(0).id();
    }

    private void awaitDead(long job) {
        await().atMost(LONG).until(() -> first.search().find(job).orElseThrow().state() == JobState.DEAD);
    }

    @Test
    void itIsSkippedWhenThatJobIsDiscarded() {
        failing.add("first");
        start();
        long id = workflows.start(held("first"));
        awaitDead(jobs(id, "first").get(0));

        first.admin().discard(jobs(id, "first").get(0));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, 1, 1, 0, 1));
        assertThat(ran).containsExactly("last");
    }

    @Test
    void itIsSkippedWhenAJobOfAWorkflowWithinWasCancelled() {
        held.put("inside", new CountDownLatch(1));
        start();
        long id = workflows.start(held("nested"));
        long inner = inner(id);

        first.admin().cancel(jobs(inner, "inside").get(0));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, 2, 1, 0, 1));
        assertThat(ran).containsExactly("nested", "last");
    }

    @Test
    void itRunsWhenAJobOfAWorkflowWithinIsRedriven() {
        failing.add("inside");
        start();
        long id = workflows.start(held("nested"));
        long inner = inner(id);
        assertThat(ended(inner).summary().state()).isEqualTo(WorkflowState.FAILED);
        await().atMost(LONG)
                .until(() -> workflows.find(id).orElseThrow().counts().dead() == 1);

        failing.clear();
        first.admin().redrive(jobs(inner, "inside").get(0));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).containsExactly("nested", "inside", "held", "last");
    }

    @Test
    void itIsSkippedWhenAJobOfAWorkflowWithinIsDiscarded() {
        failing.add("inside");
        start();
        long id = workflows.start(held("nested"));
        long inner = inner(id);
        assertThat(ended(inner).summary().state()).isEqualTo(WorkflowState.FAILED);

        first.admin().discard(jobs(inner, "inside").get(0));

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(ran).containsExactly("nested", "last");
    }
}
