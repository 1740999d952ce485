package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.SilentPolicies;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A policy of the application does not decide. */
record SilentPolicy() implements Check {

    @Override
    public String code() {
        return "silent-policies";
    }

    @Override
    public Look look() {
        return new SilentPolicies();
    }

    @Override
    public String healthy() {
        return "Each policy that is asked answers.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        boolean asked = Set.of("t", "true").contains(first.get("asked"));
        boolean inOrder = Set.of("t", "true").contains(first.get("in_order"));
        return new Diagnosis(
                Status.WARN,
                inOrder
                        ? "The policy of queue '%s' is not asked, because jobs of each key run in order."
                                .formatted(first.get("queue"))
                        : asked
                                ? "The policy of queue '%s' has given no good answer since %s: its jobs run in their normal order."
                                        .formatted(first.get("queue"), first.get("since"))
                                : "No node has asked the policy of queue '%s' since %s, and jobs still wait for it: nodes are letting them go."
                                        .formatted(first.get("queue"), first.get("since")),
                new Remedy(
                        inOrder
                                ? "Remove in-order from the queue, or the policy."
                                : asked
                                        ? "The log of node '%s' says why: the policy throws, hangs, or chooses what it may not."
                                                .formatted(first.get("node"))
                                        : "If the policy is still wanted, start a node that has it.",
                        null,
                        false));
    }
}
