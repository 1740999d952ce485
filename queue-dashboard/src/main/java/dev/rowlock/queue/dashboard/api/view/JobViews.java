package dev.rowlock.queue.dashboard.api.view;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.dashboard.api.view.Redaction.Carried;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.JobSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jobs as the page shows them, field by field: what is added elsewhere is not published by itself. */
public final class JobViews {

    private JobViews() {}

    /** One line of a list. */
    public record Line(
            String id,
            String state,
            String queue,
            String type,
            @Nullable String title,
            @Nullable String key,
            @Nullable String uniqueKey,
            int priority,
            int attempt,
            int crashes,
            Instant enqueuedAt,
            @Nullable Instant dueAt,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            @Nullable String node,
            @Nullable Integer progress,
            @Nullable String errorType,
            @Nullable String error) {

        public static Line of(JobSummary job, Redaction redaction) {
            FailedAttempt error = job.lastError();
            return new Line(
                    Long.toString(job.id()),
                    job.state().label(),
                    job.queue(),
                    job.type(),
                    job.title(),
                    job.key(),
                    job.uniqueKey(),
                    job.priority(),
                    job.attempt(),
                    job.crashes(),
                    job.enqueuedAt(),
                    job.dueAt(),
                    job.startedAt(),
                    job.endedAt(),
                    text(job.nodeId()),
                    job.progress(),
                    error == null ? null : error.type(),
                    error == null ? null : redaction.error(job.type(), error.message()));
        }
    }

    /** A job with all that belongs to it. Payload, headers and result are null for users who may not see them. */
    public record Job(
            String id,
            String state,
            String queue,
            String type,
            @Nullable String title,
            @Nullable String key,
            @Nullable String uniqueKey,
            int priority,
            int attempt,
            int crashes,
            @Nullable Integer maxRetries,
            @Nullable Long timeoutMillis,
            Instant enqueuedAt,
            @Nullable Instant dueAt,
            @Nullable Instant claimedAt,
            @Nullable Instant deadline,
            @Nullable Instant endedAt,
            @Nullable String node,
            Map<String, String> nodeNames,
            @Nullable String waitReason,
            @Nullable Integer progress,
            @Nullable String progressNote,
            boolean cancelRequested,
            @Nullable String payload,
            @Nullable Map<String, String> headers,
            @Nullable String result,
            boolean hidden,
            boolean redacted,
            List<Failed> errors,
            List<Reason> reasons,
            @Nullable String workflow,
            @Nullable String traceId,
            @Nullable String traceLink) {

        public static Job of(
                JobDetails job,
                Redaction redaction,
                @Nullable Explanation why,
                Map<String, String> nodeNames,
                @Nullable Carried shown,
                @Nullable Long workflow,
                @Nullable String traceId,
                @Nullable String link) {
            Duration timeout = job.timeout();
            WaitReason wait = job.waitReason();
            return new Job(
                    Long.toString(job.id()),
                    job.state().label(),
                    job.queue(),
                    job.type(),
                    job.title(),
                    job.key(),
                    job.uniqueKey(),
                    job.priority(),
                    job.attempt(),
                    job.crashes(),
                    job.maxRetries(),
                    timeout == null ? null : timeout.toMillis(),
                    job.enqueuedAt(),
                    job.dueAt(),
                    job.claimedAt(),
                    job.deadline(),
                    job.endedAt(),
                    text(job.nodeId()),
                    nodeNames,
                    wait == null ? null : wait.label(),
                    job.progress(),
                    redaction.progress(job.type(), job.progressNote()),
                    job.cancelRequested(),
                    shown == null ? null : shown.payload(),
                    shown == null ? null : shown.headers(),
                    shown == null ? null : shown.result(),
                    shown == null,
                    shown != null && shown.changed(),
                    job.errors().stream()
                            .map(error -> Failed.of(error, job.type(), redaction))
                            .toList(),
                    why == null
                            ? List.of()
                            : why.reasons().stream()
                                    .map(reason -> new Reason(
                                            reason.kind().name(), redaction.error(job.type(), reason.text())))
                                    .toList(),
                    text(workflow),
                    traceId,
                    link);
        }
    }

    public record Reason(String kind, String text) {}

    /** A line of its log. */
    public record Logged(Instant at, int attempt, @Nullable String text) {}

    public record Failed(
            int attempt,
            @Nullable Instant startedAt,
            Instant at,
            @Nullable String node,
            String type,
            String message,
            String trace) {

        public static Failed of(FailedAttempt error, String type, Redaction redaction) {
            return new Failed(
                    error.attempt(),
                    error.startedAt(),
                    error.at(),
                    text(error.nodeId()),
                    error.type(),
                    redaction.error(type, error.message()),
                    redaction.error(type, error.trace()));
        }
    }

    public static @Nullable String text(@Nullable Long id) {
        return id == null ? null : Long.toString(id);
    }
}
