package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.ReadOnlyServer;
import java.util.List;
import java.util.Map;

/** Nothing can be written here. */
record ReadOnly() implements Check {

    @Override
    public String code() {
        return "read-only";
    }

    @Override
    public Look look() {
        return new ReadOnlyServer();
    }

    @Override
    public String healthy() {
        return "The database takes writes.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "t".equals(first.get("standby"))
                        ? "This server is a standby, so nothing can be written."
                        : "Transactions are read-only by default, so nothing can be written.",
                new Remedy(
                        "Lead the application to the primary (targetServerType=primary), or turn default_transaction_read_only off.",
                        null,
                        false));
    }
}
