package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Filters;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.call.Why;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.BulkAction.Kind;
import dev.rowlock.queue.operate.KindOfError;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.JobFilter;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is done to all jobs that match a filter. The page counts them first and shows the number; the call that begins repeats it, and is refused if there are
 * far more of them by then.
 */
final class BulkApi {

    private static final int MAX_COUNT = 100_000;
    private static final int PAGE = 50;

    private static final Set<String> LIST = Set.of("before", "size");

    private final JobSearch search;
    private final JobAdmin admin;
    private final Redaction redaction;

    BulkApi(Rowlock rowlock, Redaction redaction) {
        this.search = rowlock.search();
        this.admin = rowlock.admin();
        this.redaction = redaction;
    }

    /** @param filter null for users who may not search in payloads: it may quote one, as it is stored. So may the refusal */
    record Bulk(
            String id,
            String kind,
            String state,
            @Nullable String filter,
            @Nullable KindOfError error,
            String who,
            @Nullable String why,
            long counted,
            boolean countedAll,
            long done,
            long refused,
            @Nullable String refusal,
            @Nullable Integer perSecond,
            Instant createdAt,
            @Nullable Instant endedAt) {

        static Bulk of(BulkAction action, boolean searches, Redaction redaction) {
            return new Bulk(
                    Long.toString(action.id()),
                    action.kind().name(),
                    action.state().name(),
                    searches ? action.filter() : null,
                    redaction.error(action.error()),
                    action.who(),
                    action.why(),
                    action.counted(),
                    action.countedAll(),
                    action.done(),
                    action.refused(),
                    searches ? action.refusal() : null,
                    action.perSecond(),
                    action.createdAt(),
                    action.endedAt());
        }
    }

    /**
     * What to begin.
     *
     * @param filter as in the address
     * @param kind what is counted; null: all that can be done
     * @param confirmed the number that the user has seen
     * @param perSecond how many jobs a second at most; null: as fast as may be
     */
    record Begin(
            Map<String, String> filter,
            @Nullable Kind kind,
            @Nullable Long confirmed,
            @Nullable Integer perSecond,
            @Nullable String why) {}

    /** How many jobs an action would be done to. Each kind takes a search, and as long as one may. */
    Object count(Call call) {
        Begin begin = call.read(Begin.class);
        Kind one = begin.kind();
        return Stream.of(Kind.values())
                .filter(kind -> one == null || kind == one)
                .collect(Collectors.toMap(Kind::name, kind -> counted(call, begin, kind)));
    }

    private CappedCount counted(Call call, Begin begin, Kind kind) {
        JobFilter filter = filter(call, begin);
        Set<JobState> states = possible(filter, kind);
        return states.isEmpty() ? new CappedCount(0, false) : search.count(filter.states(states), MAX_COUNT);
    }

    Bulk redrive(Call call) {
        return begin(call, Kind.REDRIVE);
    }

    Bulk discard(Call call) {
        return begin(call, Kind.DISCARD);
    }

    Bulk cancel(Call call) {
        return begin(call, Kind.CANCEL);
    }

    private Bulk begin(Call call, Kind kind) {
        Begin begin = call.read(Begin.class);
        JobFilter filter = filter(call, begin);
        Set<JobState> states = possible(filter, kind);
        if (states.isEmpty()) {
            throw Problem.invalid("no job in one of these states can be changed this way");
        }
        JobFilter narrowed = filter.states(states);
        requireConfirmed(begin.confirmed(), search.count(narrowed, MAX_COUNT));
        JobAdmin by = admin.by(call.user().name(), Why.of(begin.why()));
        Integer rate = begin.perSecond();
        BulkAction action = switch (kind) {
            case REDRIVE -> rate == null ? by.redrive(narrowed) : by.redrive(narrowed, rate);
            case DISCARD -> rate == null ? by.discard(narrowed) : by.discard(narrowed, rate);
            case CANCEL -> rate == null ? by.cancel(narrowed) : by.cancel(narrowed, rate);
        };
        return Bulk.of(action, call.searches(), redaction);
    }

    private static JobFilter filter(Call call, Begin begin) {
        if (begin.filter() == null) {
            throw Problem.invalid("filter is missing");
        }
        begin.filter().keySet().stream()
                .filter(name -> !Filters.NAMES.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Problem.invalid("there is no filter '%s'".formatted(Filters.printable(name)));
                });
        JobFilter filter = Filters.forAction(begin.filter(), call.searches());
        if (filter.isEmpty()) {
            throw Problem.invalid("the filter has no condition: to change all jobs, say all=true");
        }
        return filter;
    }

    private static Set<JobState> possible(JobFilter filter, Kind kind) {
        Set<JobState> states = switch (kind) {
            case REDRIVE, DISCARD -> EnumSet.of(JobState.DEAD, JobState.QUARANTINED);
            case CANCEL -> EnumSet.of(JobState.WAITING, JobState.READY);
        };
        if (!filter.states().isEmpty()) {
            states.retainAll(filter.states());
        }
        return states;
    }

    /** A tenth more may have come while the user read the number; a filter that matches far more is not what was confirmed. */
    private static void requireConfirmed(@Nullable Long confirmed, CappedCount now) {
        if (confirmed == null) {
            throw Problem.invalid("confirmed is missing: the number of jobs that the user has seen");
        }
        if (now.jobs() > confirmed + confirmed / 10 + 10) {
            throw new Problem(409, "there were %d jobs, and now there are %s: look again".formatted(confirmed, now));
        }
    }

    List<Bulk> list(Call call) {
        call.knowing(LIST);
        return admin.bulkActions(call.id("before"), call.number("size", PAGE, PAGE)).stream()
                .map(action -> Bulk.of(action, call.searches(), redaction))
                .toList();
    }

    Bulk one(Call call) {
        return admin.bulkAction(call.id())
                .map(action -> Bulk.of(action, call.searches(), redaction))
                .orElseThrow(() -> Problem.missing("bulk action " + call.id()));
    }

    record Stop(@Nullable String why) {}

    Object stop(Call call) {
        String why = Why.of(call.read(Stop.class).why());
        return Map.of("changed", admin.by(call.user().name(), why).cancelBulkAction(call.id()));
    }
}
