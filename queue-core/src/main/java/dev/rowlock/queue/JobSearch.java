package dev.rowlock.queue;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.CountJobs;
import dev.rowlock.queue.internal.store.admin.FindJob;
import dev.rowlock.queue.internal.store.admin.ListDeadJobs;
import dev.rowlock.queue.internal.store.admin.ListJobs;
import dev.rowlock.queue.internal.store.admin.ReadDepth;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Names;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at jobs. Reads what the caller's transaction sees if there is one. Thread-safe.
 */
public final class JobSearch {

    /** The longest page. */
    public static final int MAX_PAGE = 1_000;

    private final FindJob findJob;
    private final ListJobs listJobs;
    private final ListDeadJobs listDead;
    private final CountJobs countJobs;
    private final ReadDepth readDepth;
    private final JobRows rows = new JobRows();

    JobSearch(Database database) {
        this.findJob = new FindJob(database);
        this.listJobs = new ListJobs(database);
        this.listDead = new ListDeadJobs(database);
        this.countJobs = new CountJobs(database);
        this.readDepth = new ReadDepth(database);
    }

    /** The job with this id, wherever it is, with its error history; empty if there is none or retention dropped it. */
    public Optional<JobDetails> find(long id) {
        return findJob.run(id, rows::details);
    }

    /**
     * A page of the jobs of a queue in one state, newest first. For the next page pass the last id as {@code before}.
     *
     * @param before only jobs with smaller ids; null for the first page
     * @param limit 1 to {@value #MAX_PAGE}
     */
    public List<JobSummary> list(String queue, JobState state, @Nullable Long before, int limit) {
        return list(Names.queue(queue), state, first(before), valid(limit));
    }

    /** As {@link #list(String, JobState, Long, int)}, of all queues. */
    public List<JobSummary> list(JobState state, @Nullable Long before, int limit) {
        return list(null, state, first(before), valid(limit));
    }

    /** A page of the jobs of a queue that failed for good or were quarantined, newest first, with their last errors. */
    public List<DeadJob> dead(String queue, @Nullable Long before, int limit) {
        return listDead.run(Names.queue(queue), first(before), valid(limit), rows::dead);
    }

    /** As {@link #dead(String, Long, int)}, of all queues. */
    public List<DeadJob> dead(@Nullable Long before, int limit) {
        return listDead.run(null, first(before), valid(limit), rows::dead);
    }

    private List<JobSummary> list(@Nullable String queue, @Nullable JobState state, long before, int limit) {
        if (state == null) {
            throw new IllegalArgumentException(
                    "the state is null: name one of %s".formatted(Arrays.toString(JobState.values())));
        }
        return listJobs.run(queue, state, before, limit, rows::summary);
    }

    private static long first(@Nullable Long before) {
        return before == null ? Long.MAX_VALUE : before;
    }

    private static int valid(int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("limit %d must lie between 1 and %d".formatted(limit, MAX_PAGE));
        }
        return limit;
    }

    /**
     * How many jobs there are of each queue in each state, exactly, at this moment. Reads whole tables: for people and
     * tests. Scrapes use {@link #depths}, which one node measures for all.
     */
    public List<JobCount> counts() {
        return countJobs.run(
                row -> new JobCount(row.getString("queue"), JobState.of(row.getString("state")), row.getLong("count")));
    }

    /**
     * How deep the queues were when a node that runs jobs last measured them for all, usually within the last 15 s ({@link QueueDepth#age}); empty before that.
     * Of large rooms a sample is counted. Cheap, and outside the caller's transaction.
     */
    public List<QueueDepth> depths() {
        return readDepth.run().stream()
                .map(depth -> new QueueDepth(
                        depth.queue(),
                        depth.state(),
                        depth.jobs(),
                        depth.oldestSeconds() == null ? null : seconds(depth.oldestSeconds()),
                        seconds(depth.ageSeconds())))
                .toList();
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }
}
