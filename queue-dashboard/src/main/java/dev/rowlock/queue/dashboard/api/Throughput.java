package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.EndedJobs;
import dev.rowlock.queue.search.FailedAttempts;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.SearchTimeoutException;
import dev.rowlock.queue.search.SearchesBusyException;
import dev.rowlock.queue.search.TimeStep;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What has ended in each minute of the last hour. Summing reads the ended jobs of the day, so all viewers of a node see the same sums: for a minute, or longer
 * where the sums take long, so that they take a fiftieth of the time at most.
 */
final class Throughput {

    private static final int MINUTES = 60;
    private static final int MAX_DEAD = 10_000;
    private static final Duration KEPT = Duration.ofMinutes(1);
    private static final Duration KEPT_AFTER_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration KEPT_WHILE_BUSY = Duration.ofSeconds(5);
    private static final String BUSY = "Searches are busy: sums come once others have ended.";
    private static final int SHARE = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final JobSearch search;
    private final Briefly<String, Sums> last = new Briefly<>(PATIENCE, Throughput::kept);

    Throughput(JobSearch search) {
        this.search = search;
    }

    /**
     * Sums of the last hour, minute by minute.
     *
     * @param at when they were summed
     * @param from when the first minute begins
     * @param queues those in which something has ended; jobs completed in each minute
     * @param dead how many jobs have died in this hour; null: unknown
     * @param attempts how many attempts have failed in each queue, whatever has become of their jobs; null: unknown
     * @param trouble why there are no sums; null: there are
     */
    record Sums(
            Instant at,
            Instant from,
            long[] completed,
            long[] cancelled,
            Map<String, long[]> queues,
            @Nullable CappedCount dead,
            @Nullable Attempts attempts,
            @Nullable String trouble) {}

    /**
     * Attempts that failed.
     *
     * @param queues those in which some failed
     * @param minutes how many failed in each minute
     * @param complete whether all were counted; false: each queue may have more
     */
    record Attempts(Map<String, Long> queues, long[] minutes, boolean complete) {}

    Sums latest() {
        return last.get("", this::summed);
    }

    private static Duration kept(Sums sums, Duration took) {
        if (BUSY.equals(sums.trouble())) {
            return KEPT_WHILE_BUSY; // nothing was summed, so it cost nothing
        }
        Duration share = took.multipliedBy(SHARE);
        return sums.trouble() != null ? KEPT_AFTER_TIMEOUT : share.compareTo(KEPT) > 0 ? share : KEPT;
    }

    private Attempts attempts(Instant from) {
        FailedAttempts found = search.failedAttempts(Duration.ofMinutes(MINUTES));
        Map<String, Long> queues = new TreeMap<>();
        found.queues().forEach(queue -> queues.put(queue.queue(), queue.attempts()));
        long[] minutes = new long[MINUTES];
        found.minutes().forEach((begin, attempts) -> {
            long minute = Duration.between(from, begin).toMinutes();
            // The server's clock may be ahead of this one, and its hour a part of a minute longer.
            if (!begin.isBefore(from) && minute < MINUTES) {
                minutes[(int) minute] = attempts;
            }
        });
        return new Attempts(queues, minutes, found.complete());
    }

    private Sums summed() {
        Instant at = Instant.now();
        Instant until = at.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
        Instant from = until.minus(MINUTES, ChronoUnit.MINUTES);
        JobFilter hour = JobFilter.where().ended(from, until);
        long[] completed = new long[MINUTES];
        long[] cancelled = new long[MINUTES];
        Map<String, long[]> queues = new TreeMap<>();
        try {
            List<EndedJobs.OfQueue> ended;
            try {
                ended = search.endedByQueue(hour, TimeStep.MINUTE);
            } catch (IllegalArgumentException e) {
                return none(at, from, "Jobs end in too many queues for sums of each: meters show the throughput.");
            }
            for (EndedJobs.OfQueue step : ended) {
                int minute = (int) Duration.between(from, step.from()).toMinutes();
                completed[minute] += step.completed();
                cancelled[minute] += step.cancelled();
                queues.computeIfAbsent(step.queue(), queue -> new long[MINUTES])[minute] += step.completed();
            }
            CappedCount dead = search.count(hour.states(JobState.DEAD, JobState.QUARANTINED), MAX_DEAD);
            return new Sums(at, from, completed, cancelled, queues, dead, attempts(from), null);
        } catch (SearchesBusyException e) {
            return none(at, from, BUSY);
        } catch (SearchTimeoutException e) {
            return none(
                    at, from, "So many jobs end that summing them would take too long: meters show the throughput.");
        }
    }

    private static Sums none(Instant at, Instant from, String trouble) {
        return new Sums(at, from, new long[0], new long[0], Map.of(), null, null, trouble);
    }
}
