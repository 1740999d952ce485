package dev.rowlock.queue.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workflow with its steps.
 *
 * @param within the workflow whose job started this one; null: no job of a workflow did
 * @param steps in the order in which they were declared
 */
public record WorkflowDetails(
        WorkflowSummary summary, @Nullable Long within, List<WorkflowStep> steps) {

    public WorkflowDetails {
        steps = List.copyOf(steps);
    }

    /**
     * Returns the step of this name.
     *
     * @throws NoSuchStepException if the workflow has none
     */
    public WorkflowStep step(String name) {
        return steps.stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchStepException(
                        summary.id(),
                        name,
                        steps.stream().map(WorkflowStep::name).toList()));
    }

    /** Counts the jobs of all steps: also callbacks such as those of {@link StepOptions#afterFailure}, and skipped steps. */
    public StepCounts counts() {
        return steps.stream().map(WorkflowStep::counts).reduce(StepCounts.NONE, StepCounts::plus);
    }
}
