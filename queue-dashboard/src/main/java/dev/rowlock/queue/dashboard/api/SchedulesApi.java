package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.search.JobGlance;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Recurring jobs. */
final class SchedulesApi {

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
            @Nullable String lastJob,
            @Nullable String lastState,
            long skipped,
            List<Instant> next) {

        static Recurring of(RecurringJobDetails job, @Nullable String lastState) {
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
                    JobViews.text(job.lastJob()),
                    lastState,
                    job.skipped(),
                    job.next());
        }
    }

    record Target(String name, @Nullable String why) {}

    Object list(Call call) {
        List<RecurringJobDetails> all = recurring.list();
        Map<Long, String> states = states(all);
        return all.stream()
                .map(job -> Recurring.of(job, job.lastJob() == null ? null : states.get(job.lastJob())))
                .toList();
    }

    /** What became of their last jobs, or is becoming of them. A job that retention has dropped is missing. */
    private Map<Long, String> states(List<RecurringJobDetails> all) {
        List<Long> ids = all.stream()
                .map(RecurringJobDetails::lastJob)
                .filter(Objects::nonNull)
                .limit(JobSearch.MAX_GLANCES)
                .toList();
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
