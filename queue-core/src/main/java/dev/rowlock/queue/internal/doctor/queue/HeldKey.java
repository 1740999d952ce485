package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.HeldKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Jobs of a key in order wait for one that has failed for good. */
record HeldKey(Duration longerThan) implements Check {

    @Override
    public String code() {
        return "held-keys";
    }

    @Override
    public Look look() {
        return new HeldKeys(longerThan);
    }

    @Override
    public String healthy() {
        return "No key in order waits for a failed job.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "%s jobs of key '%s' of queue '%s' wait for job %s, which failed at %s: the queue runs its keys in order."
                        .formatted(
                                first.get("jobs"),
                                first.get("job_key"),
                                first.get("queue"),
                                first.get("id"),
                                first.get("died_at")),
                new Remedy(
                        "Redrive the job that failed, or discard it, by JobAdmin, or skip it by QueueLimits.skip. QueueLimits.blockedKeys lists all such keys.",
                        null,
                        false));
    }
}
