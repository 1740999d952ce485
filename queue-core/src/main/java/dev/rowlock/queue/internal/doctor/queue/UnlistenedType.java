package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.UnknownTypes;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Nodes take the jobs of a queue and have no listener for some of them. */
record UnlistenedType(Duration olderThan) implements Check {

    @Override
    public String code() {
        return "type-without-listener";
    }

    @Override
    public Look look() {
        return new UnknownTypes(olderThan);
    }

    @Override
    public String healthy() {
        return "Every type with due jobs has a listener on a living node of its queue.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "Queue '%s' has jobs of type '%s', and no living node of the queue has a listener for them."
                        .formatted(first.get("queue"), first.get("type")),
                new Remedy(
                        "Deploy a listener for the type, or add the name to the former names of its @JobType. If nobody needs the jobs, cancel them by JobAdmin.",
                        null,
                        false));
    }
}
