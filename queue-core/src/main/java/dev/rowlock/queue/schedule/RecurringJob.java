package dev.rowlock.queue.schedule;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A job that recurs: {@code RecurringJob.of("nightly-prices", Schedule.cron("0 0 3 * * *"), new CheckPrices())}. Immutable; the
 * methods return changed copies. What is not named: a run that was missed is made up for once, a run is skipped while the one
 * before has not ended, no jitter.
 *
 * @param name by which it is known, in all applications that share the tables; made of the same characters as a queue's name
 * @param schedule when it runs
 * @param payload of each of its jobs: the same for all of them. A job's header {@value #SCHEDULED_AT} says which run it is
 * @param options of each of its jobs, without a due time and a unique key. All its jobs have the same key, if any: that of the
 *     options, otherwise the one that the payload's type takes from the payload
 * @param missed what becomes of missed runs
 * @param overlap what becomes of a run while the one before has not ended
 * @param jitter each run comes later by a part of this, a different one each time: so a hundred jobs at midnight do not begin in
 *     the same second. Zero: none
 */
public record RecurringJob(
        String name,
        Schedule schedule,
        Object payload,
        JobOptions options,
        MissedRuns missed,
        Overlap overlap,
        Duration jitter) {

    /** The header with the time of the run, as ISO text in UTC, also where the job began later. */
    public static final String SCHEDULED_AT = "scheduled-at";

    /** The header with the name of the recurring job. */
    public static final String RECURRING_JOB = "recurring-job";

    public static final Duration MAX_JITTER = Duration.ofHours(12);

    public RecurringJob {
        Names.recurringJob(name);
        if (options.due() != null) {
            throw invalid(name, "its options name a due time, but its schedule says when it runs");
        }
        if (options.uniqueKey() != null) {
            throw invalid(name, "its options name a unique key, but its overlap says what may run beside it");
        }
        if (options.headers().containsKey(SCHEDULED_AT) || options.headers().containsKey(RECURRING_JOB)) {
            throw invalid(
                    name,
                    "its options have a header '%s' or '%s', which say which run a job is"
                            .formatted(SCHEDULED_AT, RECURRING_JOB));
        }
        if (missed.policy() == MissedRuns.Policy.RUN_ALL && overlap != Overlap.ALLOW) {
            throw invalid(
                    name,
                    "all its missed runs are to be made up for, but overlap %s lets one at a time be there: use ALLOW or RUN_ONCE"
                            .formatted(overlap));
        }
        if (jitter.isNegative() || jitter.compareTo(MAX_JITTER) > 0) {
            throw invalid(
                    name,
                    "a jitter of %s is out of range: it must lie between 0 and %s"
                            .formatted(DurationText.of(jitter), DurationText.of(MAX_JITTER)));
        }
        Duration shortest = shortestInterval(schedule);
        if (jitter.compareTo(shortest) >= 0) {
            throw invalid(
                    name,
                    "a jitter of %s must be shorter than the %s between two of its runs"
                            .formatted(DurationText.of(jitter), DurationText.of(shortest)));
        }
    }

    /** Of some runs: enough to see what repeats within a day. */
    private static Duration shortestInterval(Schedule schedule) {
        List<Instant> runs = schedule.next(Instant.parse("2026-01-01T00:00:00Z"), 100);
        return IntStream.range(1, runs.size())
                .mapToObj(i -> Duration.between(runs.get(i - 1), runs.get(i)))
                .min(Duration::compareTo)
                .orElse(MAX_JITTER.plusSeconds(1));
    }

    private static IllegalArgumentException invalid(String name, String problem) {
        return new IllegalArgumentException("recurring job '%s' cannot work: %s".formatted(name, problem));
    }

    /** @throws IllegalArgumentException if the name is not allowed */
    public static RecurringJob of(String name, Schedule schedule, Object payload) {
        return new RecurringJob(
                name, schedule, payload, JobOptions.NONE, MissedRuns.RUN_ONCE, Overlap.SKIP, Duration.ZERO);
    }

    /** Options of its jobs: {@code o -> o.queue("reports").priority(5)}. */
    public RecurringJob options(UnaryOperator<JobOptions> change) {
        return new RecurringJob(name, schedule, payload, change.apply(options), missed, overlap, jitter);
    }

    public RecurringJob schedule(Schedule other) {
        return new RecurringJob(name, other, payload, options, missed, overlap, jitter);
    }

    public RecurringJob payload(Object other) {
        return new RecurringJob(name, schedule, other, options, missed, overlap, jitter);
    }

    public RecurringJob missed(MissedRuns policy) {
        return new RecurringJob(name, schedule, payload, options, policy, overlap, jitter);
    }

    public RecurringJob overlap(Overlap policy) {
        return new RecurringJob(name, schedule, payload, options, missed, policy, jitter);
    }

    public RecurringJob jitter(Duration longest) {
        return new RecurringJob(name, schedule, payload, options, missed, overlap, longest);
    }

    /** For logs: without the payload. */
    @Override
    public String toString() {
        return "RecurringJob[%s, %s]".formatted(name, schedule);
    }
}
