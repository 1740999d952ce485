package dev.rowlock.queue.search;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of jobs.
 *
 * @param jobs the highest id first
 * @param next the page behind it; null: there is none
 */
public record FoundJobs(List<JobSummary> jobs, @Nullable Page next) {

    public FoundJobs {
        jobs = List.copyOf(jobs);
    }
}
