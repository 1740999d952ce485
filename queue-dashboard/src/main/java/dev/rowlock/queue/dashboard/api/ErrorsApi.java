package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.DeadGroups;
import dev.rowlock.queue.search.GroupPage;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Dead jobs by kinds of error. */
final class ErrorsApi {

    private static final int PAGE = 50;
    private static final Set<String> LIST = Filters.and("afterJobs", "afterGroup", "size");

    private final JobSearch search;

    ErrorsApi(Rowlock rowlock) {
        this.search = rowlock.search();
    }

    record Group(
            String fingerprint,
            long jobs,
            String errorType,
            String message,
            String thrownBy,
            Instant firstAt,
            Instant lastAt,
            String newestJob) {

        static Group of(DeadGroup group) {
            return new Group(
                    group.fingerprint(),
                    group.jobs(),
                    group.errorType(),
                    group.message(),
                    group.thrownBy(),
                    group.firstDiedAt(),
                    group.lastDiedAt(),
                    Long.toString(group.newestJob()));
        }
    }

    record Next(long afterJobs, String afterGroup) {}

    record Groups(List<Group> groups, @Nullable Next next) {}

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
                found.groups().stream().map(Group::of).toList(),
                next == null ? null : new Next(next.jobs(), next.fingerprint()));
    }
}
