package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Filters;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.call.Why;
import dev.rowlock.queue.dashboard.api.view.JobViews;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.dashboard.api.view.TraceLink;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.FoundJobs;
import dev.rowlock.queue.search.JobGlance;
import dev.rowlock.queue.search.NodeSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Single jobs: lists of them, all of one, and what can be done to one or to some that were chosen. */
final class JobsApi {

    /** The page sends more in several calls, so that it can show how far it is and can be stopped. */
    static final int MAX_CHOSEN = 100;

    private static final int PAGE = 50;
    private static final int MAX_PAGE = 200;
    private static final int MAX_COUNT = 10_000;
    private static final int MAX_LOG = 200;
    private static final Set<String> LIST = Filters.and("before", "size");
    private static final Set<String> COUNT = Filters.and("limit");

    private final JobSearch search;
    private final JobAdmin admin;
    private final Workflows workflows;
    private final TraceLink traces;
    private final Redaction redaction;

    JobsApi(Rowlock rowlock, TraceLink traces, Redaction redaction) {
        this.search = rowlock.search();
        this.admin = rowlock.admin();
        this.workflows = rowlock.workflows();
        this.traces = traces;
        this.redaction = redaction;
    }

    /** @param next the smallest id of the page; null: there are no more */
    record Found(List<JobViews.Line> jobs, @Nullable String next) {}

    Found list(Call call) {
        call.knowing(LIST);
        Page page = Page.first(call.number("size", PAGE, MAX_PAGE));
        Long before = call.id("before");
        FoundJobs found = search.find(
                Filters.forList(Filters.only(call.query()), call.searches()),
                before == null ? page : page.before(before));
        Page next = found.next();
        return new Found(
                found.jobs().stream()
                        .map(line -> JobViews.Line.of(line, redaction))
                        .toList(),
                next == null ? null : Long.toString(next.before()));
    }

    CappedCount count(Call call) {
        call.knowing(COUNT);
        return search.count(
                Filters.forList(Filters.only(call.query()), call.searches()), call.number("limit", 1_000, MAX_COUNT));
    }

    JobViews.Job job(Call call) {
        JobDetails job = search.find(call.id()).orElseThrow(() -> Problem.missing("job " + call.id()));
        Explanation why = job.state().live() ? search.explain(call.id()).orElse(null) : null;
        String trace = TraceLink.traceId(job.headers());
        return JobViews.Job.of(
                job,
                redaction,
                why,
                nodeNames(),
                call.payloads() ? redaction.of(job) : null,
                workflows.workflowOf(job.id()).orElse(null),
                trace,
                traces.to(trace));
    }

    /** Its newest lines, the oldest of them first. */
    List<JobViews.Logged> log(Call call) {
        String type = search.glance(List.of(call.id())).stream()
                .map(JobGlance::type)
                .findFirst()
                .orElseThrow(() -> Problem.missing("job " + call.id()));
        return search.log(call.id(), MAX_LOG).stream()
                .map(line -> new JobViews.Logged(line.at(), line.attempt(), redaction.progress(type, line.text())))
                .toList();
    }

    /** Of nodes that are there. A job may name one that has left. */
    private Map<String, String> nodeNames() {
        return search.nodes().stream().collect(Collectors.toMap(node -> Long.toString(node.id()), NodeSummary::name));
    }

    /**
     * What is to be changed.
     *
     * @param ids of up to 100 jobs
     * @param why for the audit
     */
    record Change(
            List<String> ids,
            @Nullable String why,
            @Nullable Integer priority,
            @Nullable String at,
            @Nullable Long delaySeconds,
            @Nullable String payload,
            @Nullable Boolean unchecked) {}

    /** @param result a word such as {@code CHANGED} */
    record Changed(String id, String result) {}

    Object cancel(Call call) {
        return each(call, (by, id) -> by.cancel(id));
    }

    Object runNow(Call call) {
        return each(call, (by, id) -> by.runNow(id));
    }

    Object redrive(Call call) {
        return each(call, (by, id) -> by.redrive(id) ? "CHANGED" : "NOT_DEAD");
    }

    Object discard(Call call) {
        return each(call, (by, id) -> by.discard(id) ? "CHANGED" : "NOT_DEAD");
    }

    Object priority(Call call) {
        Integer priority = call.read(Change.class).priority();
        if (priority == null) {
            throw Problem.invalid("priority is missing");
        }
        return each(call, (by, id) -> by.changePriority(id, priority));
    }

    Object reschedule(Call call) {
        Change change = call.read(Change.class);
        String at = change.at();
        Long delay = change.delaySeconds();
        if ((at == null) == (delay == null)) {
            throw Problem.invalid("a new time is needed: either 'at' or 'delaySeconds'");
        }
        if (at != null) {
            Instant due = Filters.instant("at", at);
            return each(call, (by, id) -> by.reschedule(id, due));
        }
        Duration wait = Duration.ofSeconds(delay == null ? 0 : delay);
        return each(call, (by, id) -> by.reschedule(id, wait));
    }

    Object editPayload(Call call) {
        Change change = call.read(Change.class);
        String payload = change.payload();
        if (payload == null || change.ids() == null || change.ids().size() != 1) {
            throw Problem.invalid("a payload is changed of one job at a time, and must be there");
        }
        return Boolean.TRUE.equals(change.unchecked())
                ? each(call, (by, id) -> by.editPayloadUnchecked(id, payload))
                : each(call, (by, id) -> by.editPayload(id, payload));
    }

    /** Each job by itself: one that cannot be changed does not keep the others. */
    private List<Changed> each(Call call, BiFunction<JobAdmin, Long, Object> action) {
        Change change = call.read(Change.class);
        if (change.ids() == null || change.ids().isEmpty() || change.ids().size() > MAX_CHOSEN) {
            throw Problem.invalid("name 1 to %d jobs in 'ids'".formatted(MAX_CHOSEN));
        }
        Set<Long> ids = new LinkedHashSet<>();
        change.ids().forEach(id -> ids.add(Call.id("an id", id)));
        JobAdmin by = admin.by(call.user().name(), Why.of(change.why()));
        List<Changed> changed = new ArrayList<>();
        for (Long id : ids) {
            changed.add(new Changed(Long.toString(id), action.apply(by, id).toString()));
        }
        return changed;
    }
}
