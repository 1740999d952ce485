package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.SilentPolicies;
import java.util.List;
import java.util.Map;

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
        boolean limited = "t".equals(first.get("keys_limited")) || "true".equals(first.get("keys_limited"));
        return new Diagnosis(
                Status.WARN,
                limited
                        ? "The policy of queue '%s' is not asked, because something limits the keys of the queue."
                                .formatted(first.get("queue"))
                        : "The policy of queue '%s' has given no good answer since %s: its jobs run in their normal order."
                                .formatted(first.get("queue"), first.get("since")),
                new Remedy(
                        limited
                                ? "Remove the limits, rates or order of the keys, or the policy."
                                : "The log of node '%s' says why: the policy throws, hangs, or chooses what it may not."
                                        .formatted(first.get("node")),
                        null,
                        false));
    }
}
