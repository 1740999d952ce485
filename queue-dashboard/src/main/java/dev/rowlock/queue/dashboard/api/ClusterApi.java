package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Filters;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.view.Figures;
import dev.rowlock.queue.dashboard.api.view.JobPast;
import dev.rowlock.queue.dashboard.api.view.JobViews;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.KindOfError;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is true for the whole cluster: who looks, queues, nodes, findings, the audit. */
final class ClusterApi {

    private static final int PAGE = 50;
    private static final int MAX_PAGE = 200;
    private static final Set<String> AUDIT = Set.of("who", "action", "subject", "from", "until", "before", "size");

    private final JobSearch search;
    private final JobAdmin admin;
    private final Doctor doctor;
    private final Examinations examinations;
    private final Throughput throughput;
    private final Brand brand;
    private final Redaction redaction;

    ClusterApi(Rowlock rowlock, Brand brand, Redaction redaction) {
        this.search = rowlock.search();
        this.admin = rowlock.admin();
        this.doctor = rowlock.doctor();
        this.examinations = new Examinations(doctor);
        this.throughput = new Throughput(search);
        this.brand = brand;
        this.redaction = redaction;
    }

    /** @param now by this server's clock, so that the page can say how long ago something was */
    record Me(
            String name,
            String level,
            boolean payloads,
            boolean searches,
            Brand brand,
            Instant now,
            Call.@Nullable Csrf csrf) {}

    Me me(Call call) {
        return new Me(
                call.user().name(),
                call.user().level().name(),
                call.payloads(),
                call.searches(),
                brand,
                Instant.now(),
                call.csrf());
    }

    Object overview(Call call) {
        return new Overview(
                Figures.queues(search.depths()), Figures.pauses(admin.pauses()), Figures.nodes(search.nodes()));
    }

    record Overview(List<Figures.Queue> queues, List<Figures.Paused> pauses, List<Figures.Node> nodes) {}

    Object verdict(Call call) {
        return doctor.verdict();
    }

    Object throughput(Call call) {
        return throughput.latest();
    }

    Object doctor(Call call) {
        return examinations.latest();
    }

    Object examine(Call call) {
        return examinations.now();
    }

    /** @param subject null: it is the filter of a bulk action, and hidden */
    record Line(
            String id,
            Instant at,
            String who,
            @Nullable String why,
            String action,
            @Nullable String subject,
            @Nullable String detail,
            long jobs,
            long refused,
            @Nullable String bulkAction,
            @Nullable KindOfError error) {

        /**
         * The subject of a bulk action is its filter, which may quote a payload as it is stored.
         *
         * @param searches whether the user might search for that payload
         */
        static Line of(AuditEntry entry, boolean searches, Redaction redaction) {
            boolean hidden = entry.bulkActionId() != null && !searches;
            return new Line(
                    Long.toString(entry.id()),
                    entry.at(),
                    entry.who(),
                    entry.why(),
                    entry.action(),
                    hidden ? null : entry.subject(),
                    hidden ? null : entry.detail(),
                    entry.jobs(),
                    entry.refused(),
                    JobViews.text(entry.bulkActionId()),
                    redaction.error(entry.error()));
        }
    }

    record Lines(List<Line> lines, @Nullable String next) {}

    Lines audit(Call call) {
        call.knowing(AUDIT);
        int size = call.number("size", PAGE, MAX_PAGE);
        List<AuditEntry> found = admin.audit(Filters.audit(call.query(), call.searches()), call.id("before"), size + 1);
        List<AuditEntry> page = found.subList(0, Math.min(size, found.size()));
        return new Lines(
                lines(page, call),
                found.size() > size ? Long.toString(page.get(size - 1).id()) : null);
    }

    private List<Line> lines(List<AuditEntry> entries, Call call) {
        return entries.stream()
                .map(entry -> Line.of(entry, call.searches(), redaction))
                .toList();
    }

    /** What people did to one job, newest first. */
    List<Line> auditOfJob(Call call) {
        JobDetails job = search.find(call.id()).orElseThrow(() -> Problem.missing("job " + call.id()));
        return lines(JobPast.of(job, admin.auditOf(job, PAGE)), call);
    }
}
