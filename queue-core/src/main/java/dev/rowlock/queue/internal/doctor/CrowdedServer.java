package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.UsedConnections;
import java.util.List;
import java.util.Map;

/** The server soon refuses connections. */
record CrowdedServer(double part) implements Check {

    @Override
    public String code() {
        return "connections";
    }

    @Override
    public Look look() {
        return new UsedConnections(part);
    }

    @Override
    public String healthy() {
        return "The server has connections left.";
    }

    @Override
    public boolean needsStatistics() {
        return true;
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> most = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "%s of the %s connections for ordinary roles are taken, most of them (%s) by role '%s', application '%s'."
                        .formatted(
                                most.get("total"),
                                most.get("allowed"),
                                most.get("connections"),
                                most.get("role"),
                                most.get("application")),
                new Remedy(
                        "Make pools smaller, use a pooler, or raise max_connections (needs a restart).", null, false));
    }
}
