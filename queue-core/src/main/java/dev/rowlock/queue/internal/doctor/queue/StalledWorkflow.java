package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.StalledWorkflows;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A workflow waits for somebody: to redrive a job, or to close a step. */
record StalledWorkflow(Duration failedFor, Duration openFor) implements Check {

    @Override
    public String code() {
        return "stalled-workflows";
    }

    @Override
    public Look look() {
        return new StalledWorkflows(failedFor, openFor);
    }

    @Override
    public String healthy() {
        return "No workflow waits for a redrive, or for an open step to be closed.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        String workflow = "Workflow %s '%s'".formatted(first.get("workflow"), first.get("name"));
        return "close".equals(first.get("waits_for"))
                ? new Diagnosis(
                        Status.WARN,
                        "%s has run since %s, and all jobs of its step '%s' have ended, but the step is open for more."
                                .formatted(workflow, first.get("since"), first.get("step")),
                        new Remedy("Close the step by Workflows.close, or cancel the workflow.", null, false))
                : new Diagnosis(
                        Status.WARN,
                        "%s has waited since %s, when job %s of its step '%s' failed."
                                .formatted(workflow, first.get("since"), first.get("job"), first.get("step")),
                        new Remedy("Redrive the job that failed, or cancel the workflow.", null, false));
    }
}
