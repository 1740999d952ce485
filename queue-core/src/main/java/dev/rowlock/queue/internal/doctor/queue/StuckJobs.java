package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.AbandonedJobs;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Jobs of a dead node wait for a rescue. */
record StuckJobs(Duration longerThan) implements Check {

    @Override
    public String code() {
        return "stuck-jobs";
    }

    @Override
    public Look look() {
        return new AbandonedJobs(longerThan);
    }

    @Override
    public String healthy() {
        return "No job waits for a rescue.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        boolean others = "t".equals(first.get("others_live"));
        return new Diagnosis(
                Status.FAIL,
                "%s jobs belong to node '%s' (%s), whose lease has run out, and %s."
                        .formatted(
                                first.get("jobs"),
                                first.get("node"),
                                first.get("node_id"),
                                others
                                        ? "no other node has taken them back"
                                        : "no other node lives that would take them back"),
                new Remedy(
                        others
                                ? "Read in the logs of the nodes why their chores 'rescue' and 'stray jobs' fail."
                                : "Start a node: it takes the jobs back by itself.",
                        null,
                        false));
    }
}
