package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.ClusterStatements;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.joblog.LogStatements;
import dev.rowlock.queue.internal.search.BoundedSearch;
import dev.rowlock.queue.internal.search.CountJobs;
import dev.rowlock.queue.internal.search.ExplainJob;
import dev.rowlock.queue.internal.search.FindJobs;
import dev.rowlock.queue.internal.search.GroupJobs;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.DeadGroups;
import dev.rowlock.queue.search.EndedJobs;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.FailedAttempts;
import dev.rowlock.queue.search.FoundJobs;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobGlance;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.LogLine;
import dev.rowlock.queue.search.NodeLoad;
import dev.rowlock.queue.search.NodeSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.RetryGroup;
import dev.rowlock.queue.search.RetryGroups;
import dev.rowlock.queue.search.TimeRange;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.settings.SearchSettings;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Looks at jobs. Reads what the caller's transaction sees if there is one. Thread-safe.
 *
 * <p>Searches cannot hurt the queue: they read, take one processor of the server, and the server stops them after {@code
 * rowlock.search.time-limit}, five seconds by default. That is a {@link dev.rowlock.queue.search.SearchTimeoutException}, which says how to narrow the
 * search; the caller's transaction goes on. A filter without conditions, one that no job can meet, and a jsonpath that is none are {@link
 * IllegalArgumentException}s.
 */
public final class JobSearch {

    /** The most that {@link #count} counts. */
    public static final int MAX_COUNT = 1_000_000;

    /** The most jobs of one {@link #glance}. */
    public static final int MAX_GLANCES = 1_000;

    /** The most steps of time for which {@link #ended} sums. */
    public static final int MAX_STEPS = 1_500;

    private static final Duration MAX_FAILED_LAST = Duration.ofDays(1);

    private static final int MAX_SUMS = 50_000;
    private static final int MAX_QUEUE_SUMS = 250_000;

    private final JobStatements jobs;
    private final FindJobs findJobs;
    private final CountJobs count;
    private final GroupJobs group;
    private final ExplainJob explainJob;
    private final LogStatements log;
    private final ClusterStatements cluster;
    private final JobRows rows;

    JobSearch(Database database) {
        this(database, SearchSettings.DEFAULT);
    }

    JobSearch(Database database, SearchSettings settings) {
        BoundedSearch bounded = new BoundedSearch(database, settings.timeLimit());
        this.rows = new JobRows(database.encryption());
        this.jobs = new JobStatements(database);
        this.findJobs = new FindJobs(bounded);
        this.count = new CountJobs(bounded);
        this.group = new GroupJobs(bounded);
        this.explainJob = new ExplainJob(bounded);
        this.log = new LogStatements(database);
        this.cluster = new ClusterStatements(database);
    }

    /** The job with this id, wherever it is, with its error history; empty if there is none or retention dropped it. */
    public Optional<JobDetails> find(long id) {
        return jobs.find(id, rows::details);
    }

    /** The most lines of a job's log that are kept. */
    public static final int MAX_LOG = LogStatements.MOST_LINES;

    /** What handlers have written to the log of this job, in order; lines of the last second may be missing. Empty if there is nothing, or no such job. */
    public List<LogLine> log(long id) {
        return log(id, MAX_LOG);
    }

    /** As {@link #log(long)}: its newest lines, up to so many. */
    public List<LogLine> log(long id, int newest) {
        if (newest < 1) {
            throw new IllegalArgumentException("%d newest lines of a log: at least 1 is allowed".formatted(newest));
        }
        return log.read(id, newest, rows::logLine);
    }

    /**
     * Where these jobs are now, by id; those that are not there any more are left out. One statement, whatever their number: for pages that follow jobs. Cheap.
     *
     * @param ids up to {@value #MAX_GLANCES}
     */
    public List<JobGlance> glance(Collection<Long> ids) {
        if (ids.size() > MAX_GLANCES) {
            throw new IllegalArgumentException(
                    "%d jobs at a glance: up to %d are allowed".formatted(ids.size(), MAX_GLANCES));
        }
        return ids.isEmpty() ? List.of() : jobs.glance(ids, rows::glance);
    }

    /**
     * Why a job is where it is: its due time, a pause, no node or listener, a limit and who fills it, how many jobs come before
     * it, the steps of its workflow that come first. Of a job that has ended: how and why, without its payload. Empty if there is
     * no such job. At most three statements, each within the time limit of searches.
     */
    public Optional<Explanation> explain(long id) {
        return explainJob.run(id);
    }

    /** A page of the jobs that match, those that were enqueued last first. */
    public FoundJobs find(JobFilter filter, Page page) {
        return page(findJobs.run(filter, page, rows::summary), page);
    }

    /**
     * A page of the jobs that a node has claimed, those that were enqueued last first: those that it runs, and those that it has
     * claimed ahead. {@link #nodes} has the ids.
     */
    public FoundJobs claimedBy(long nodeId, Page page) {
        return page(findJobs.onNode(nodeId, page, rows::summary), page);
    }

    private static FoundJobs page(List<JobSummary> found, Page page) {
        if (found.size() <= page.size()) {
            return new FoundJobs(found, null);
        }
        List<JobSummary> jobs = found.subList(0, page.size());
        return new FoundJobs(jobs, page.before(jobs.get(page.size() - 1).id()));
    }

    /**
     * How many jobs match. Stops counting at the limit, so that a page of results may ask each time.
     *
     * @param limit 1 to {@value #MAX_COUNT}
     */
    public CappedCount count(JobFilter filter, int limit) {
        if (limit < 1 || limit > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "limit %d of a count must lie between 1 and %d".formatted(limit, MAX_COUNT));
        }
        long counted = count.matching(filter, limit + 1);
        return new CappedCount(Math.min(counted, limit), counted > limit);
    }

    /**
     * The dead jobs that match, by kinds of error. Each page counts all of them: in an index alone where the filter has no other conditions
     * than queue, type, fingerprint and the time of the end.
     */
    public DeadGroups deadByError(JobFilter filter, GroupPage page) {
        List<DeadGroup> found = group.dead(filter, page, rows::group);
        if (found.size() <= page.size()) {
            return new DeadGroups(found, null);
        }
        List<DeadGroup> groups = found.subList(0, page.size());
        return new DeadGroups(groups, page.behind(groups.get(page.size() - 1)));
    }

    /**
     * The jobs that match and are tried again after a failed attempt: waiting, ready and running ones, by kinds of error. Looks at the
     * 50,000 waiting jobs that are due next, and at the 50,000 oldest of the ready and of the running ones, and groups up to
     * 10,000 with a failed attempt. So it takes as long with ten million jobs as with these.
     *
     * @param filter may name none but these states
     * @param size how many groups at most, 1 to {@value GroupPage#MAX_SIZE}
     */
    public RetryGroups retryingByError(JobFilter filter, int size) {
        GroupPage.first(size);
        GroupJobs.Found<RetryGroup> found = group.retried(filter, size, rows::retryGroup);
        return new RetryGroups(found.groups(), found.complete());
    }

    /**
     * How many jobs that match were completed or cancelled in each step of time, by queue and type, in this order; nothing where there were none. Reads
     * the days of {@code done} that the range touches, and nothing of jobs that retention has dropped.
     *
     * @param filter says from when until when the jobs {@link JobTime#ENDED ended}: a range with both bounds, of at most {@value #MAX_STEPS} steps
     */
    public List<EndedJobs> ended(JobFilter filter, TimeStep step) {
        requireSteps(filter, step);
        return notTooMany(count.endedByQueueAndType(filter, step, MAX_SUMS + 1, rows::ended), MAX_SUMS);
    }

    /**
     * The same by queue, whatever the types: for all queues at once, of which there may be thousands. Up to 250,000 sums; more are an {@code
     * IllegalArgumentException}.
     */
    public List<EndedJobs.OfQueue> endedByQueue(JobFilter filter, TimeStep step) {
        requireSteps(filter, step);
        return notTooMany(count.endedByQueue(filter, step, MAX_QUEUE_SUMS + 1, rows::endedOfQueue), MAX_QUEUE_SUMS);
    }

    private static void requireSteps(JobFilter filter, TimeStep step) {
        TimeRange range = filter.times().get(JobTime.ENDED);
        if (range == null || range.from() == null || range.until() == null) {
            throw new IllegalArgumentException(
                    "sums of ended jobs need a range of time with both bounds: add ended(from, until) to the filter");
        }
        if (Duration.between(range.from(), range.until())
                        .compareTo(step.length().multipliedBy(MAX_STEPS))
                > 0) {
            throw new IllegalArgumentException(
                    "the time %s has more than %d steps of a %s: take longer steps or a shorter time"
                            .formatted(range, MAX_STEPS, step));
        }
    }

    private static <T> List<T> notTooMany(List<T> sums, int limit) {
        if (sums.size() > limit) {
            throw new IllegalArgumentException(
                    "there are more than %d sums: name a queue or a type, or take longer steps or a shorter time"
                            .formatted(limit));
        }
        return sums;
    }

    /**
     * How many attempts failed lately, by queue, whatever has become of their jobs since. Counts in the error histories of up to
     * 10,000 jobs of each room, and looks at the same live jobs as {@link #retryingByError}; of done jobs it reads the days of
     * that time. A job has its last 20 errors. Queues without any are left out.
     *
     * @param last how long ago it may have been, on the database's clock: up to a day
     */
    public FailedAttempts failedAttempts(Duration last) {
        if (last.compareTo(Duration.ofMillis(1)) < 0 || last.compareTo(MAX_FAILED_LAST) > 0) {
            throw new IllegalArgumentException(
                    "attempts that failed in the last %s cannot be counted: take between 1 ms and %s"
                            .formatted(DurationText.of(last), DurationText.of(MAX_FAILED_LAST)));
        }
        return count.failedAttempts(last);
    }

    /**
     * How many jobs there are of each queue in each state, exactly, at this moment. Reads whole tables: for people and
     * tests. Scrapes use {@link #depths}, which one node measures for all.
     */
    public List<JobCount> counts() {
        return count.all(
                row -> new JobCount(row.getString("queue"), JobState.of(row.getString("state")), row.getLong("count")));
    }

    /**
     * How deep the queues were when a node that runs jobs last measured them for all, usually within the last 15 s ({@link QueueDepth#age}); empty before that.
     * Of large rooms a sample is counted. Cheap.
     */
    public List<QueueDepth> depths() {
        return cluster.depths().stream()
                .map(depth -> new QueueDepth(
                        depth.queue(),
                        depth.room(),
                        depth.jobs(),
                        depth.oldestSeconds() == null ? null : seconds(depth.oldestSeconds()),
                        seconds(depth.ageSeconds())))
                .toList();
    }

    /**
     * What a node that runs jobs last measured of the database for all, usually within the last 30 s; empty before that. Figures that its role may not
     * see are missing: it needs {@code pg_read_all_stats} for those of other sessions. Cheap.
     */
    public List<DatabaseFigure> databaseFigures() {
        return cluster.figures(row -> new DatabaseFigure(
                row.getString("name"),
                row.getString("detail"),
                row.getDouble("value"),
                seconds(row.getDouble("age_seconds"))));
    }

    /**
     * How far the database's clock is ahead of this process's; negative: behind. Zero where the difference is less than the time that
     * the answer took. Cheap.
     */
    public Duration clockDifference() {
        return cluster.ahead(Clock.systemUTC());
    }

    /** The nodes that have not left, in the order in which they came. Cheap. */
    public List<NodeSummary> nodes() {
        return cluster.nodes(row -> new Node(
                row.getLong("id"),
                row.getString("name"),
                List.of((String[]) row.getArray("queues").getArray()),
                slots(row),
                row.getObject("started_at", OffsetDateTime.class).toInstant(),
                seconds(row.getDouble("silent_seconds")),
                Duration.ofMillis(row.getLong("lease_millis"))));
    }

    private static Map<String, Integer> slots(ResultSet row) throws SQLException {
        Array slots = row.getArray("slots");
        if (slots == null) {
            return Map.of();
        }
        String[] queues = (String[]) row.getArray("queues").getArray();
        Integer[] each = (Integer[]) slots.getArray();
        return IntStream.range(0, queues.length)
                .boxed()
                .collect(Collectors.toUnmodifiableMap(i -> queues[i], i -> each[i]));
    }

    /**
     * How many jobs each node has claimed at this moment, by queue, in the order of nodes and queues; nothing where there are
     * none. A node that has claimed more of a queue than it runs {@linkplain NodeSummary#slots at once} has the others ready for
     * the threads that become free, or for the next call of a listener of chunks. Reads all running jobs.
     */
    public List<NodeLoad> loads() {
        return count.claimed(row -> new NodeLoad(
                row.getLong("node_id"),
                row.getString("queue"),
                row.getLong("jobs"),
                row.getObject("oldest", OffsetDateTime.class).toInstant()));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private record Node(
            long id,
            String name,
            List<String> queues,
            Map<String, Integer> slots,
            Instant startedAt,
            Duration sinceHeartbeat,
            Duration lease)
            implements NodeSummary {}
}
