package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Somebody runs a job ahead of its turn, and it adds another one to its step. */
class AddedAheadTest extends WorkflowNodes {

    private long id;

    AddedAheadTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void runsAhead() {
        held.put("first", new CountDownLatch(1));
        held.put("add one", new CountDownLatch(1));
        id = workflows.start(Workflow.named("ahead")
                .step("first", new Task("first"))
                .each("rows", List.of(new Task("add one"), new Task("row")), s -> s.after("first"))
                .step("report", new Task("report"), s -> s.after("rows"))
                .step("alarm", new Task("alarm"), s -> s.afterFailure("rows"))
                .step("tidy", new Task("tidy"), s -> s.afterEnd("rows")));
        first.start();
        first.admin().runNow(jobs(id, "rows").get(0));
        await().atMost(LONG)
                .until(() -> first.search()
                                .find(jobs(id, "rows").get(0))
                                .orElseThrow()
                                .state()
                        == JobState.RUNNING);
    }

    @Test
    void afterItsStepWasSkippedTheAddedJobRunsAsItself() {
        failing.add("first");
        held.get("first").countDown();
        await().atMost(LONG).until(() -> ran.contains("alarm"));
        assertThat(ran).doesNotContain("tidy");

        held.get("add one").countDown();

        WorkflowDetails ended = ended(id);
        assertThat(ended.summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(ended.step("rows").counts()).isEqualTo(new StepCounts(0, 2, 0, 0, 1));
        assertThat(ended.step("report").counts().skipped()).isOne();
        assertThat(ran).containsExactlyInAnyOrder("alarm", "add one", "added by add one", "tidy");
        assertThat(ran.get(3)).isEqualTo("tidy");
    }

    @Test
    void whileItsStepWaitsTheAddedJobWaitsAsTheOthers() {
        held.get("add one").countDown();
        await().atMost(LONG).until(() -> jobs(id, "rows").size() == 3);
        await().atMost(LONG).until(() -> ran.contains("add one"));
        assertThat(ran).containsExactly("add one");

        failing.add("first");
        held.get("first").countDown();

        WorkflowDetails ended = ended(id);
        assertThat(ended.step("rows").counts()).isEqualTo(new StepCounts(0, 1, 0, 0, 2));
        assertThat(ran).containsExactlyInAnyOrder("add one", "alarm", "tidy");
    }
}
