package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Filters;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.DeadGroups;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.RetryGroup;
import dev.rowlock.queue.search.RetryGroups;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Dead jobs, and jobs that are tried again, by kinds of error. */
final class ErrorsApi {

    private static final int PAGE = 50;
    private static final Set<String> LIST = Filters.and("afterJobs", "afterGroup", "size");
    private static final Set<String> RETRYING = Filters.and("size");

    private final JobSearch search;
    private final Redaction redaction;

    ErrorsApi(Rowlock rowlock, Redaction redaction) {
        this.search = rowlock.search();
        this.redaction = redaction;
    }

    /**
     * One kind of error.
     *
     * @param trend how many failed in each of the last 24 hours, the oldest hour first
     * @param dueUntil narrows searches and actions to the jobs that were looked at; null: all were
     */
    record Group(
            String fingerprint,
            long jobs,
            String type,
            String errorType,
            String message,
            String thrownBy,
            Instant firstAt,
            Instant lastAt,
            String newestJob,
            List<Long> trend,
            @Nullable Instant dueUntil) {}

    record Next(long afterJobs, String afterGroup) {}

    record Groups(List<Group> groups, @Nullable Next next) {}

    /** @param complete whether all jobs were looked at, and all groups are here */
    record Retrying(List<Group> groups, boolean complete) {}

    Groups dead(Call call) {
        call.knowing(LIST);
        Long jobs = call.id("afterJobs");
        String group = call.query().get("afterGroup");
        int size = call.number("size", PAGE, PAGE);
        DeadGroups found = search.deadByError(
                Filters.forList(Filters.only(call.query()), call.searches()),
                jobs == null || group == null ? GroupPage.first(size) : new GroupPage(size, jobs, group));
        GroupPage next = found.next();
        return new Groups(
                found.groups().stream().map(this::group).toList(),
                next == null ? null : new Next(next.jobs(), next.fingerprint()));
    }

    Retrying retrying(Call call) {
        call.knowing(RETRYING);
        RetryGroups found = search.retryingByError(
                Filters.forList(Filters.only(call.query()), call.searches()), call.number("size", PAGE, PAGE));
        return new Retrying(
                found.groups().stream()
                        .map(group -> group(group, found.complete()))
                        .toList(),
                found.complete());
    }

    private Group group(DeadGroup group) {
        return new Group(
                group.fingerprint(),
                group.jobs(),
                group.type(),
                group.errorType(),
                redaction.error(group.type(), group.message()),
                group.thrownBy(),
                group.firstDiedAt(),
                group.lastDiedAt(),
                Long.toString(group.newestJob()),
                group.trend(),
                null);
    }

    private Group group(RetryGroup group, boolean complete) {
        return new Group(
                group.fingerprint(),
                group.jobs(),
                group.type(),
                group.errorType(),
                redaction.error(group.type(), group.message()),
                group.thrownBy(),
                group.firstFailedAt(),
                group.lastFailedAt(),
                Long.toString(group.newestJob()),
                group.trend(),
                complete ? null : group.lastDueAt().plus(Duration.ofMillis(1)));
    }
}
