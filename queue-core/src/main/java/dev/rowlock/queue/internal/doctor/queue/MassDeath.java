package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.DeadLately;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Many jobs die of the same error. */
record MassDeath(int jobs, Duration within) implements Check {

    @Override
    public String code() {
        return "dead-jobs";
    }

    @Override
    public Look look() {
        return new DeadLately(jobs, within);
    }

    @Override
    public String healthy() {
        return "Few jobs have died lately.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "%s jobs have died of one error within %d minutes, the last one of type '%s': %s."
                        .formatted(first.get("jobs"), within.toMinutes(), first.get("type"), first.get("error")),
                new Remedy(
                        "Read the view failure or JobSearch.deadByError. Remove the cause, then redrive the jobs with fingerprint %s by JobAdmin."
                                .formatted(first.get("fingerprint")),
                        null,
                        false));
    }
}
