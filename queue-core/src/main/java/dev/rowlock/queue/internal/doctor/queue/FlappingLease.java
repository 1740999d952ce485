package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.LostLeases;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Nodes lose their lease again and again. */
record FlappingLease(int times, Duration within) implements Check {

    @Override
    public String code() {
        return "flapping-lease";
    }

    @Override
    public Look look() {
        return new LostLeases(times, within);
    }

    @Override
    public String healthy() {
        return "No node has lost its lease again and again.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "Node '%s' has lost its lease %s times within %d minutes, and its jobs began anew elsewhere each time."
                        .formatted(first.get("name"), first.get("times"), within.toMinutes()),
                new Remedy(
                        "Look for pauses of its garbage collector, for a starved processor or pool, and for restarts by the platform. A longer rowlock.worker.lease bridges pauses.",
                        null,
                        false));
    }
}
