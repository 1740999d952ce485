package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.StaleChores;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What one node does for all is done by none. */
record StaleChore(int intervals, Duration atLeast) implements Check {

    @Override
    public String code() {
        return "stale-chore";
    }

    @Override
    public Look look() {
        return new StaleChores(intervals, atLeast);
    }

    @Override
    public String healthy() {
        return "Nodes begin their chores in time.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "No node has begun the chore '%s' since %s, though nodes live."
                        .formatted(first.get("name"), first.get("taken_at")),
                new Remedy(
                        "Read the logs of the nodes, and take a thread dump: their janitors hang or fail. If it is a chore of a former release, delete its row of rowlock.chore.",
                        null,
                        false));
    }
}
