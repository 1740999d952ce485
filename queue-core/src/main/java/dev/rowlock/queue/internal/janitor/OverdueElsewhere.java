package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.janitor.OverdueStatements.Overdue;
import dev.rowlock.queue.job.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds overdue jobs of other nodes: past their deadline, and their node, though it beats, has not taken them from their handlers. The server's clock
 * alone does not say so: if it is set forward by an hour, all jobs with a deadline look overdue. So one counts only when it has
 * looked overdue, under the same claim and deadline, for all the time that it may run, by the monotonic clock of this process.
 */
final class OverdueElsewhere {

    private final Duration grace;
    private Map<Claim, Sight> sights = Map.of();

    OverdueElsewhere(Duration grace) {
        this.grace = grace;
    }

    private record Sight(double deadline, long since) {}

    /** Returns the jobs that have looked overdue for long enough; remembers the others as long as they look overdue. */
    List<Claim> among(List<Overdue> overdue, long now) {
        Map<Claim, Sight> seen = new HashMap<>();
        List<Claim> late = new ArrayList<>();
        for (Overdue job : overdue) {
            Sight before = sights.get(job.claim());
            Sight sight =
                    before != null && before.deadline() == job.deadline() ? before : new Sight(job.deadline(), now);
            seen.put(job.claim(), sight);
            if (now - sight.since() >= job.allowed().plus(grace).toNanos()) {
                late.add(job.claim());
            }
        }
        sights = seen;
        return late;
    }
}
