package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.DeadRows;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Dead rows pile up, and no vacuum comes. */
record StarvedAutovacuum(long rows, Duration unvacuumed) implements Check {

    @Override
    public String code() {
        return "dead-rows";
    }

    @Override
    public Look look() {
        return new DeadRows(rows, unvacuumed);
    }

    @Override
    public String healthy() {
        return "No table has many dead rows that nobody removes.";
    }

    @Override
    public boolean needsStatistics() {
        return true;
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        String last = first.get("vacuumed");
        return new Diagnosis(
                Status.WARN,
                "Table %s has %s dead rows and %s live ones. Its last vacuum: %s. None works on it now."
                        .formatted(
                                first.get("table"),
                                first.get("dead"),
                                first.get("live"),
                                "null".equals(last) ? "never" : last),
                new Remedy(
                        "Vacuum the table. If this comes again, give autovacuum more workers (autovacuum_max_workers) or less to wait for (autovacuum_naptime).",
                        "VACUUM %s".formatted(first.get("table")),
                        false));
    }
}
