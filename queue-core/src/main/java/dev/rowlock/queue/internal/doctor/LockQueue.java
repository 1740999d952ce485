package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.WaitingLocks;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Somebody waits for a strong lock on a table, and whoever comes later waits behind. */
record LockQueue(Duration longerThan) implements Check {

    private static final String WRITER = "RowExclusiveLock";

    @Override
    public String code() {
        return "lock-queue";
    }

    @Override
    public Look look() {
        return new WaitingLocks(longerThan);
    }

    @Override
    public String healthy() {
        return "Nobody waits for long for a strong lock on the tables.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "Process %s has waited for %s for a lock (%s) on %s, and whoever comes after it to write waits behind it. %s is in its way."
                        .formatted(
                                first.get("pid"),
                                first.get("waits_for"),
                                first.get("mode"),
                                first.get("table"),
                                inTheWay(String.valueOf(first.get("blocked_by")))),
                WRITER.equals(first.get("mode"))
                        ? new Remedy("End the transaction that is in its way: it has locked the table.", null, true)
                        : new Remedy(
                                "Cancel the statement that waits, and run it later with a lock_timeout. Or end the transaction that is in its way.",
                                "SELECT pg_cancel_backend(%s)".formatted(first.get("pid")),
                                true));
    }

    // PostgreSQL writes 0 for a prepared transaction.
    private static String inTheWay(String pid) {
        return switch (pid) {
            case "0" -> "A prepared transaction";
            case "null" -> "Nobody any more";
            default -> "Process " + pid;
        };
    }
}
