package dev.rowlock.queue.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workflow with its steps.
 *
 * @param within the workflow that one of whose jobs started it; null: none
 * @param steps in the order in which they were named
 */
public record WorkflowDetails(
        WorkflowSummary summary, @Nullable Long within, List<WorkflowStep> steps) {

    public WorkflowDetails {
        steps = List.copyOf(steps);
    }

    /** All jobs together. */
    public StepCounts counts() {
        return steps.stream().map(WorkflowStep::counts).reduce(StepCounts.NONE, StepCounts::plus);
    }
}
