package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.WorkflowStep;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A workflow that has been started is changed: its jobs are cancelled or discarded, and others are added. */
class WorkflowChangesTest extends WorkflowNodes {

    WorkflowChangesTest(TestDatabase database) {
        super(database);
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

    /** Also as long as no node has noted that it runs again. */
    @Test
    void aWorkflowThatRunsAgainAfterARedriveCanBeCancelled() throws Exception {
        failing.add("one");
        long id = workflows.start(
                Workflow.named("again").step("one", new Task("one")).step("two", new Task("two"), s -> s.after("one")));
        first.start();
        ended(id);
        first.stop();
        failing.clear();
        held.put("one", new CountDownLatch(1)); // until it is asked to stop
        first.admin().redrive(jobs(id, "one").get(0));
        assertThat(workflows.find(id).orElseThrow().summary().state()).isEqualTo(WorkflowState.RUNNING);

        assertThat(workflows.cancel(id, "ann", "no more")).isTrue();

        assertThat(workflows.find(id).orElseThrow().summary().endedAt()).isNull();
        first.start();
        assertThat(workflows.await(id, LONG).summary().state()).isEqualTo(WorkflowState.CANCELLED);
        assertThat(ended(id).counts()).isEqualTo(new StepCounts(0, 0, 0, 1, 1));
        assertThat(ran).isEmpty();
        assertThat(workflows.cancel(id, "ann", "twice")).isFalse();
    }

    @Test
    void aFailedWorkflowCannotBeCancelled() {
        failing.add("one");
        long id = workflows.start(Workflow.named("failed").step("one", new Task("one")));
        start();
        ended(id);

        assertThat(workflows.cancel(id, "ann", "too late")).isFalse();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.FAILED);
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
        assertThat(ended.steps()).noneMatch(WorkflowStep::waiting);
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
        assertThat(ended.summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).endsWith("report").doesNotContain("alarm").hasSize(5);
        assertThat(ended.counts()).isEqualTo(new StepCounts(0, 5, 0, 0, 1));
    }
}
