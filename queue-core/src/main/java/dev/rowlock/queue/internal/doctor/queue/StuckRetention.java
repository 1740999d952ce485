package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.KeptTooLong;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Ended jobs stay longer than they should. */
record StuckRetention(Duration margin) implements Check {

    @Override
    public String code() {
        return "retention-stuck";
    }

    @Override
    public Look look() {
        return new KeptTooLong(margin);
    }

    @Override
    public String healthy() {
        return "No ended job is much older than its retention.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> oldest = cases.get(0);
        boolean done = "done".equals(oldest.get("room"));
        return new Diagnosis(
                Status.WARN,
                done
                        ? "Partition %s is older than all nodes want, and is still there."
                                .formatted(oldest.get("partition"))
                        : "Dead jobs are older than all nodes want, and are still there; the oldest died at %s."
                                .formatted(oldest.get("ended_at")),
                new Remedy(
                        "The logs of the nodes say what is in the way of the chore 'retention': often a view, a foreign key or a long transaction, or clocks that differ by a day.",
                        null,
                        false));
    }
}
