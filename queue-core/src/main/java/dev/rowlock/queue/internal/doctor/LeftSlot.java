package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.LeftSlots;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;
import java.util.Map;

/** A replication slot without a reader keeps the write-ahead log until the disk is full. */
record LeftSlot(long keptBytes) implements Check {

    @Override
    public String code() {
        return "inactive-slot";
    }

    @Override
    public Look look() {
        return new LeftSlots(keptBytes);
    }

    @Override
    public String healthy() {
        return "No replication slot has been left.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "Nobody reads the replication slot %s, which keeps %s bytes of the write-ahead log."
                        .formatted(first.get("literal"), first.get("kept_bytes")),
                new Remedy(
                        "Start its reader again. If there is none any more, drop the slot.",
                        "SELECT pg_drop_replication_slot(%s)".formatted(first.get("literal")),
                        true));
    }
}
