package dev.rowlock.queue.workflow;

import java.util.Map;

/**
 * One step of a workflow as it is now.
 *
 * @param waiting its jobs wait for other steps
 * @param accepts jobs may be added from outside
 * @param parents the steps that come first, and what must have become of each
 */
public record WorkflowStep(
        String name, boolean waiting, boolean accepts, Map<String, RunsAfter> parents, StepCounts counts) {

    public WorkflowStep {
        parents = Map.copyOf(parents);
    }
}
