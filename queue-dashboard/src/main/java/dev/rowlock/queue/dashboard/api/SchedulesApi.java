package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Filters;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.call.Why;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.search.JobGlance;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Recurring jobs. */
final class SchedulesApi {

    private static final int PAGE = 50;

    /** With ten jobs each, as many as one glance may look at; a release before may have left eleven. */
    private static final int MAX_PAGE = JobSearch.MAX_GLANCES / 11;

    private static final Set<String> LIST = Set.of("find", "after", "size");

    private final RecurringJobs recurring;
    private final JobSearch search;

    SchedulesApi(Rowlock rowlock) {
        this.recurring = rowlock.recurringJobs();
        this.search = rowlock.search();
    }

    record Recurring(
            String name,
            String schedule,
            boolean declared,
            String type,
            String queue,
            String missed,
            String overlap,
            long jitterMillis,
            boolean paused,
            boolean retired,
            @Nullable Instant lastRun,
            List<Run> runs,
            long skipped,
            List<Instant> next) {

        static Recurring of(RecurringJobDetails job, Map<Long, String> states) {
            return new Recurring(
                    job.name(),
                    job.schedule().toString(),
                    job.declared(),
                    job.type(),
                    job.queue(),
                    job.missed().toString(),
                    job.overlap().name(),
                    job.jitter().toMillis(),
                    job.paused(),
                    job.retired(),
                    job.lastRun(),
                    job.recentJobs().stream()
                            .map(id -> new Run(Long.toString(id), states.get(id)))
                            .toList(),
                    job.skipped(),
                    job.next());
        }
    }

    /**
     * A job of one of the last runs, the newest first.
     *
     * @param state null: retention has dropped it
     */
    record Run(String job, @Nullable String state) {}

    /**
     * A page, by name.
     *
     * @param all how many there are that match
     * @param next the last name of the page; null: there are no more
     */
    record Found(
            List<Recurring> schedules, int all, @Nullable String next) {}

    record Target(String name, @Nullable String why) {}

    Found list(Call call) {
        call.knowing(LIST);
        int size = call.number("size", PAGE, MAX_PAGE);
        String part = call.query().getOrDefault("find", "").toLowerCase(Locale.ROOT);
        String after = call.query().getOrDefault("after", "");
        List<RecurringJobDetails> all = recurring.list().stream()
                .filter(job -> job.name().toLowerCase(Locale.ROOT).contains(part))
                .sorted(Comparator.comparing(RecurringJobDetails::name))
                .toList();
        List<RecurringJobDetails> rest =
                all.stream().filter(job -> job.name().compareTo(after) > 0).toList();
        List<RecurringJobDetails> page = rest.subList(0, Math.min(size, rest.size()));
        Map<Long, String> states = states(page);
        return new Found(
                page.stream().map(job -> Recurring.of(job, states)).toList(),
                all.size(),
                page.size() == rest.size() ? null : page.get(page.size() - 1).name());
    }

    /** What became of the jobs of their last runs, or is becoming of them. A job that retention has dropped is missing. */
    private Map<Long, String> states(List<RecurringJobDetails> page) {
        List<Long> ids = page.stream().flatMap(job -> job.recentJobs().stream()).toList();
        return search.glance(ids).stream()
                .collect(Collectors.toMap(JobGlance::id, job -> job.state().label(), (one, other) -> one));
    }

    Object runNow(Call call) {
        Target target = target(call);
        OptionalLong job = by(call, target).runNow(target.name());
        if (job.isEmpty()) {
            throw new Problem(
                    409,
                    "the last job of recurring job '%s' has not ended, and two may not run at once"
                            .formatted(Filters.printable(target.name())));
        }
        return Map.of("job", Long.toString(job.getAsLong()));
    }

    Object pause(Call call) {
        Target target = target(call);
        return changed(target, by(call, target).pause(target.name()));
    }

    Object resume(Call call) {
        Target target = target(call);
        return changed(target, by(call, target).resume(target.name()));
    }

    Object delete(Call call) {
        Target target = target(call);
        return changed(target, by(call, target).delete(target.name()));
    }

    private static Object changed(Target target, boolean changed) {
        if (!changed) {
            throw Problem.missing("recurring job '%s'".formatted(Filters.printable(target.name())));
        }
        return Map.of("changed", true);
    }

    private static Target target(Call call) {
        Target target = call.read(Target.class);
        if (target.name() == null) {
            throw Problem.invalid("name is missing");
        }
        return target;
    }

    private RecurringJobs by(Call call, Target target) {
        return recurring.by(call.user().name(), Why.of(target.why()));
    }
}
