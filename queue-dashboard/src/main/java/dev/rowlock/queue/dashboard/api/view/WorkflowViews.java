package dev.rowlock.queue.dashboard.api.view;

import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowStep;
import dev.rowlock.queue.workflow.WorkflowSummary;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Workflows as the page shows them. */
public final class WorkflowViews {

    private WorkflowViews() {}

    public record Line(
            String id,
            String name,
            String state,
            Instant startedAt,
            @Nullable Instant endedAt) {

        public static Line of(WorkflowSummary workflow) {
            return new Line(
                    Long.toString(workflow.id()),
                    workflow.name(),
                    workflow.state().label(),
                    workflow.startedAt(),
                    workflow.endedAt());
        }
    }

    /** @param parents what must have become of each step that comes first */
    public record Step(String name, boolean waiting, boolean accepts, Map<String, String> parents, StepCounts counts) {

        public static Step of(WorkflowStep step) {
            Map<String, String> parents = new TreeMap<>();
            step.parents().forEach((name, after) -> parents.put(name, after.label()));
            return new Step(step.name(), step.waiting(), step.accepts(), parents, step.counts());
        }
    }

    /**
     * A workflow with its steps.
     *
     * @param within the workflow that one of whose jobs started it; null: none
     */
    public record Whole(Line workflow, @Nullable String within, List<Step> steps, StepCounts counts) {

        public static Whole of(WorkflowDetails workflow) {
            return new Whole(
                    Line.of(workflow.summary()),
                    JobViews.text(workflow.within()),
                    workflow.steps().stream().map(Step::of).toList(),
                    workflow.counts());
        }
    }
}
