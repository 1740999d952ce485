package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A job of a step says which steps it waits for, and what helps; one that was skipped or cancelled with its workflow says so. */
class ExplainedStepsTest extends WorkflowNodes {

    ExplainedStepsTest(TestDatabase database) {
        super(database);
    }

    private List<String> why(long job) {
        return first.search().explain(job).orElseThrow().reasons().stream()
                .filter(reason -> reason.kind() == Kind.AFTER_STEPS)
                .map(Reason::text)
                .toList();
    }

    private List<String> why(long workflow, String step) {
        return why(jobs(workflow, step).get(0));
    }

    private String end(long job) {
        return first.search().explain(job).orElseThrow().reasons().get(0).text();
    }

    private JobState state(long job) {
        return first.search().find(job).orElseThrow().state();
    }

    @Test
    void eachConditionIsNamedWithWhatIsMissing() {
        long id = workflows.start(Workflow.named("conditions")
                .each("left", List.of(new Task("1"), new Task("2"), new Task("3")))
                .step("one", new Task("one"))
                .each("rows", List.of(), s -> s.open())
                .step("success", new Task("a"), s -> s.after("left"))
                .step("end", new Task("b"), s -> s.afterEnd("one"))
                .step("closed", new Task("c"), s -> s.after("rows"))
                .step("alarm", new Task("d"), s -> s.afterFailure("left", "one", "rows"))
                .step("later", new Task("e"), s -> s.after("success")));

        assertThat(why(id, "success"))
                .containsExactly(
                        "Step 'success' of workflow %d runs after the success of step 'left' (3 of 3 jobs have not ended)."
                                .formatted(id));
        assertThat(why(id, "end"))
                .containsExactly(
                        "Step 'end' of workflow %d runs after the end of step 'one' (its only job has not ended)."
                                .formatted(id));
        assertThat(why(id, "closed"))
                .containsExactly(
                        "Step 'closed' of workflow %d waits for the success of step 'rows', which takes more jobs until somebody closes it."
                                .formatted(id));
        assertThat(why(id, "alarm"))
                .containsExactly("Step 'alarm' of workflow %d runs only if a job of step 'left', 'one' or 'rows' fails."
                        .formatted(id));
        assertThat(why(id, "later"))
                .containsExactly(
                        "Step 'later' of workflow %d runs after the success of step 'success' (its only job has not ended; it waits for other steps itself)."
                                .formatted(id));
    }

    @Test
    void ofManyStepsTenAreNamedAndTheOthersCounted() {
        Workflow wide = Workflow.named("wide");
        String[] parents = new String[12];
        for (int i = 0; i < parents.length; i++) {
            parents[i] = "p" + i;
            wide.step(parents[i], new Task(parents[i]));
        }
        long id = workflows.start(wide.step("last", new Task("last"), s -> s.after(parents)));

        assertThat(why(id, "last"))
                .hasSize(11)
                .endsWith("Step 'last' of workflow %d waits for 2 more steps.".formatted(id));
    }

    @Test
    void oneThatHasNotEndedAmongOthersIsCounted() {
        held.put("slow", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("slow")
                .each("left", List.of(new Task("1"), new Task("2"), new Task("slow")))
                .step("next", new Task("next"), s -> s.after("left")));

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(why(id, "next"))
                        .containsExactly(
                                "Step 'next' of workflow %d runs after the success of step 'left' (1 of 3 jobs has not ended)."
                                        .formatted(id)));
    }

    @Test
    void aDeadJobIsNamedWithItsRemedy() {
        failing.addAll(List.of("bad", "worse"));
        start();
        long id = workflows.start(Workflow.named("held")
                .step("bad", new Task("bad"))
                .each("both", List.of(new Task("bad"), new Task("worse")))
                .step("holdme", new Task("holdme"), s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "bad"))
                .step("several", new Task("several"), s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "both")));
        long bad = jobs(id, "bad").get(0);

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(why(id, "holdme"))
                        .containsExactly(
                                "Step 'holdme' of workflow %d waits for step 'bad': its job %d is dead; redrive it."
                                        .formatted(id, bad)));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(why(id, "several"))
                        .containsExactly(
                                "Step 'several' of workflow %d waits for step 'both': 2 of its jobs are dead, such as job %d; redrive them."
                                        .formatted(id, jobs(id, "both").get(0))));
    }

    @Test
    void aSkippedJobSaysThatItsStepWasSkipped() {
        failing.add("bad");
        start();
        long id = workflows.start(Workflow.named("skipped")
                .step("bad", new Task("bad"))
                .step("next", new Task("next"), s -> s.after("bad")));
        ended(id);

        assertThat(end(jobs(id, "next").get(0)))
                .endsWith(
                        ": cancelled, because step 'next' of workflow %d was skipped: a step that it runs after ended otherwise."
                                .formatted(id));
        assertThat(end(jobs(id, "bad").get(0)))
                .endsWith(": dead at attempt 1: dev.rowlock.queue.job.DoNotRetryException: bad fails.");
    }

    /** The error of the skip is still in its history, and says nothing of this end. */
    @Test
    void aJobThatCameBackAfterASkipAndWasCancelledNamesWhoCancelledIt() {
        failing.add("bad");
        first.start();
        long id = workflows.start(Workflow.named("back")
                .step("bad", new Task("bad"))
                .step("next", new Task("next"), s -> s.after("bad")));
        ended(id);
        held.put("next", new CountDownLatch(1));
        failing.clear();
        first.admin().redrive(jobs(id, "bad").get(0));
        long next = jobs(id, "next").get(0);
        await().atMost(LONG).until(() -> state(next) == JobState.RUNNING);

        first.admin().by("ada", "too late").cancel(next);

        await().atMost(LONG).until(() -> state(next) == JobState.CANCELLED);
        assertThat(end(next)).endsWith(": cancelled while it ran by ada (too late).");
    }

    @Test
    void aJobOfACancelledWorkflowNamesWhoCancelledThatAlsoWithin() {
        held.put("inside", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("outer")
                .step("nest", new Task("nested"))
                .step("next", new Task("next"), s -> s.after("nest")));
        await().atMost(LONG).until(() -> ran.contains("nested"));
        long inner = workflows.list(null, 10).get(0).id();
        long inside = jobs(inner, "inside").get(0);
        await().atMost(LONG).until(() -> state(inside) == JobState.RUNNING);

        workflows.cancel(id, "ada", "the customer called");

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.CANCELLED);
        assertThat(end(jobs(id, "next").get(0)))
                .endsWith(": cancelled with workflow %d by ada (the customer called).".formatted(id));
        assertThat(end(inside))
                .endsWith(": cancelled while it ran with workflow %d by ada (the customer called).".formatted(id));
        assertThat(workflows.find(id).orElseThrow().step("next").waiting()).isFalse();
    }
}
