package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.UnservedQueues;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Jobs are ready, and nobody runs them. */
record UnservedQueue(Duration longerThan) implements Check {

    @Override
    public String code() {
        return "queue-without-node";
    }

    @Override
    public Look look() {
        return new UnservedQueues(longerThan);
    }

    @Override
    public String healthy() {
        return "Every queue with ready jobs has a node.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "Queue '%s' has ready jobs, and no living node serves it.".formatted(first.get("queue")),
                new Remedy(
                        "Start an application with a listener of this queue, or correct the name of the queue.",
                        null,
                        false));
    }
}
