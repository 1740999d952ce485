package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.call.Why;
import dev.rowlock.queue.dashboard.api.view.JobViews;
import dev.rowlock.queue.dashboard.api.view.WorkflowViews;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowSummary;
import dev.rowlock.queue.workflow.Workflows;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Workflows and batches: lists of them, one with its steps, the jobs of a step. */
final class WorkflowsApi {

    private static final int PAGE = 50;
    private static final int MAX_PAGE = 200;
    private static final Set<String> LIST = Set.of("before", "size");
    private static final Set<String> STEP = Set.of("step", "after", "size");

    private final Workflows workflows;

    WorkflowsApi(Rowlock rowlock) {
        this.workflows = rowlock.workflows();
    }

    /** @param next the smallest id of the page; null: there are no more */
    record Page(
            List<WorkflowViews.Line> workflows, @Nullable String next) {}

    Page list(Call call) {
        call.knowing(LIST);
        int size = call.number("size", PAGE, MAX_PAGE);
        List<WorkflowSummary> found = workflows.list(call.id("before"), size + 1);
        List<WorkflowSummary> page = found.subList(0, Math.min(size, found.size()));
        return new Page(
                page.stream().map(WorkflowViews.Line::of).toList(),
                found.size() > size ? Long.toString(page.get(size - 1).id()) : null);
    }

    WorkflowViews.Whole one(Call call) {
        return workflows.find(call.id()).map(WorkflowViews.Whole::of).orElseThrow(() -> missing(call));
    }

    /**
     * A job of a step, or a workflow that a job of the step has started.
     *
     * @param workflow null for a job
     */
    record Member(@Nullable String job, @Nullable String workflow, String state) {

        static Member of(WorkflowJob job) {
            Long workflow = job.workflow();
            return new Member(
                    workflow == null ? Long.toString(job.id()) : null,
                    JobViews.text(workflow),
                    job.state().name());
        }
    }

    /** @param next where the next page begins; null: there is none */
    record Members(List<Member> members, @Nullable String next) {}

    Members jobs(Call call) {
        call.knowing(STEP);
        String step = call.query().get("step");
        if (step == null) {
            throw Problem.invalid("step is missing");
        }
        int size = call.number("size", PAGE, MAX_PAGE);
        List<WorkflowJob> found =
                workflows.jobs(call.id(), step, after(call.query().get("after")), size + 1);
        List<WorkflowJob> page = found.subList(0, Math.min(size, found.size()));
        return new Members(
                page.stream().map(Member::of).toList(),
                found.size() > size ? Long.toString(page.get(size - 1).id()) : null);
    }

    /** Those of workflows are below zero. */
    private static long after(@Nullable String text) {
        if (text == null) {
            return Long.MIN_VALUE;
        }
        return text.startsWith("-") ? -Call.id("after", text.substring(1)) : Call.id("after", text);
    }

    record Cancel(@Nullable String why) {}

    Object cancel(Call call) {
        String why = Why.of(call.read(Cancel.class).why());
        return Map.of("changed", workflows.cancel(call.id(), call.user().name(), why));
    }

    private static Problem missing(Call call) {
        return Problem.missing("workflow " + call.id());
    }
}
