package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.OldTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** An open transaction keeps vacuum from removing dead rows. */
record HeldHorizon(Duration longerThan) implements Check {

    @Override
    public String code() {
        return "old-transaction";
    }

    @Override
    public Look look() {
        return new OldTransactions(longerThan);
    }

    @Override
    public String healthy() {
        return "No transaction has held back vacuum for long.";
    }

    @Override
    public boolean needsStatistics() {
        return true;
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> oldest = cases.get(0);
        String pid = oldest.get("pid");
        return new Diagnosis(
                Status.WARN,
                "The transaction of process %s (role %s, %s) has been open for %s, and vacuum cannot remove rows that died since."
                        .formatted(pid, oldest.get("role"), oldest.get("state"), oldest.get("open_for")),
                new Remedy(
                        "End the transaction where it was begun. If nobody can, end its session: its work is rolled back.",
                        "SELECT pg_terminate_backend(%s)".formatted(pid),
                        true));
    }
}
