package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class NextStepsTest {

    private static List<List<Integer>> next(Workflow workflow) {
        return CreateWorkflow.next(workflow.steps());
    }

    private static Workflow first() {
        return Workflow.named("w").step("first", "a");
    }

    @Test
    void eachStepOfAChainIsFollowedByTheNext() {
        assertThat(next(first().step("second", "b", s -> s.after("first")).step("third", "c", s -> s.after("second"))))
                .containsExactly(List.of(1), List.of(2), List.of());
    }

    @Test
    void whatWaitsForTwoIsToBeDecided() {
        assertThat(next(first().step("left", "b", s -> s.after("first"))
                        .step("right", "c", s -> s.after("first"))
                        .step("last", "d", s -> s.after("left", "right"))))
                .containsExactly(List.of(1, 2), List.of(), List.of(), List.of());
    }

    /** If one of those behind a step is not simple, the step is looked at anyway. */
    @Test
    void oneThatWaitsForMoreLeavesItsSiblingsToBeDecidedToo() {
        assertThat(next(first().step("other", "b")
                        .step("simple", "c", s -> s.after("first"))
                        .step("both", "d", s -> s.after("first", "other"))))
                .containsExactly(List.of(), List.of(), List.of(), List.of());
    }

    @Test
    void whateverBecomesOfTheStepBeforeItsSuccessLetsTheNextRun() {
        assertThat(next(first().step("held", "b", s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "first"))
                        .step("end", "c", s -> s.afterEnd("first"))))
                .containsExactly(List.of(1, 2), List.of(), List.of());
        assertThat(next(first().step("failed", "b", s -> s.afterFailure("first"))))
                .containsExactly(List.of(), List.of());
    }

    @Test
    void stepsWithATimeOfTheirOwnOpenOnesAndLargeOnesAreToBeDecided() {
        assertThat(next(first().step("late", "b", s -> s.after("first").job(o -> o.delay(Duration.ofSeconds(1))))))
                .first()
                .isEqualTo(List.of());
        assertThat(next(first().step("open", "b", s -> s.after("first").open())))
                .first()
                .isEqualTo(List.of());
        assertThat(next(first().each("many", Collections.nCopies(Progress.FEW, "b"), s -> s.after("first"))))
                .first()
                .isEqualTo(List.of());
        assertThat(next(first().each("few", Collections.nCopies(Progress.FEW - 1, "b"), s -> s.after("first"))))
                .first()
                .isEqualTo(List.of(1));
    }

    @Test
    void theEndOfOneOfManyJobsDecidesNothing() {
        assertThat(next(Workflow.named("w").each("many", List.of("a", "b")).step("last", "c", s -> s.after("many"))))
                .containsExactly(List.of(), List.of());
        assertThat(next(Workflow.named("w").step("open", "a", s -> s.open()).step("last", "c", s -> s.after("open"))))
                .containsExactly(List.of(), List.of());
    }
}
