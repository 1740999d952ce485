package dev.rowlock.queue.workflow;

import java.util.Map;

/**
 * One step of a workflow, as of a moment ago.
 *
 * @param waiting its jobs wait for other steps; false once the step has ended, in whatever way
 * @param accepts jobs may be added until the step is closed
 * @param parents names of the steps that this step runs after, and the condition for each
 */
public record WorkflowStep(
        String name, boolean waiting, boolean accepts, Map<String, RunsAfter> parents, StepCounts counts) {

    public WorkflowStep {
        parents = Map.copyOf(parents);
    }
}
