package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.HoldingSlots;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;
import java.util.Map;

/** A replication slot keeps vacuum from removing dead rows. */
record HeldBySlot(long transactions) implements Check {

    @Override
    public String code() {
        return "held-by-slot";
    }

    @Override
    public Look look() {
        return new HoldingSlots(transactions);
    }

    @Override
    public String healthy() {
        return "No replication slot holds back vacuum by much.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        boolean read = "t".equals(first.get("active"));
        return new Diagnosis(
                Status.WARN,
                "The replication slot %s holds back vacuum by %s transactions: dead rows of %s stay."
                        .formatted(
                                first.get("literal"),
                                first.get("holds_back"),
                                "t".equals(first.get("all_tables")) ? "all tables" : "the system catalogs"),
                read
                        ? new Remedy(
                                "Find out what its reader waits for: a long query on a standby, or a subscriber that lags.",
                                null,
                                false)
                        : new Remedy(
                                "Start its reader again. If there is none any more, drop the slot.",
                                "SELECT pg_drop_replication_slot(%s)".formatted(first.get("literal")),
                                true));
    }
}
