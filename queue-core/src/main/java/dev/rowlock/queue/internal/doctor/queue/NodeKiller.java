package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.NodeKillers;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Jobs may take their nodes down. */
record NodeKiller(int crashes, Duration within) implements Check {

    @Override
    public String code() {
        return "node-killers";
    }

    @Override
    public Look look() {
        return new NodeKillers(crashes, within);
    }

    @Override
    public String healthy() {
        return "No job is suspected of taking its node down.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "%s times the node of job %s (type '%s', queue '%s') has died while the job ran%s."
                        .formatted(
                                first.get("crashes"),
                                first.get("id"),
                                first.get("type"),
                                first.get("queue"),
                                "running".equals(first.get("state")) ? ", and it runs again" : ": it is in quarantine"),
                new Remedy(
                        "Look for what its handler may exhaust: memory, threads, a native library. Redrive or discard the job by JobAdmin when its handler is repaired.",
                        null,
                        false));
    }
}
