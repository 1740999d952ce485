package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.UnservedRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Somebody has set a limit, and the name of its queue may be misspelt. Its nodes may be away as well, so nothing is wrong for sure. */
record UnservedRule(Duration longerThan) implements Check {

    @Override
    public String code() {
        return "limit-without-node";
    }

    @Override
    public Look look() {
        return new UnservedRules(longerThan);
    }

    @Override
    public String healthy() {
        return "Every queue with a limit, a policy or weights has a node.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.INFO,
                "Queue '%s' has %s, and no living node serves it. Nodes serve: %s."
                        .formatted(first.get("queue"), first.get("rule"), first.get("served")),
                new Remedy(
                        "If the name of the queue is misspelt, take it back: QueueLimits.remove, or a weight of 1, or another queue() of the policy.",
                        null,
                        false));
    }
}
