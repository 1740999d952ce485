package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.load.Told;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The jobs of workflows. */
public final class Linked {

    private Linked() {}

    /** By id, what was asked of each. */
    public static Map<Long, Told> jobs(History history) {
        Map<Long, Told> told = history.told().stream()
                .filter(job -> job.type().equals("linked"))
                .collect(Collectors.toMap(Told::uid, job -> job, (a, b) -> a));
        Map<Long, Told> jobs = new HashMap<>();
        history.rows().forEach(row -> {
            Told job = told.get(row.uid());
            if (job != null) {
                jobs.put(row.id(), job);
            }
        });
        return jobs;
    }
}
