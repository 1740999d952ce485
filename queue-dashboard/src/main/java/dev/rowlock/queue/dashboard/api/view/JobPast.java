package dev.rowlock.queue.dashboard.api.view;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What people did to a job, as its timeline shows it. The audit names a job only where somebody acted on it alone. A bulk action is shown where something has
 * happened to the job that needs it: it was cancelled, or its attempts began anew after it had died, and nobody did that to this job alone.
 */
public final class JobPast {

    private final JobDetails job;
    private final List<AuditEntry> lines;

    private JobPast(JobDetails job, List<AuditEntry> lines) {
        this.job = job;
        this.lines = lines;
    }

    /** @param lines that may concern the job */
    public static List<AuditEntry> of(JobDetails job, List<AuditEntry> lines) {
        return new JobPast(job, lines).shown();
    }

    private List<AuditEntry> shown() {
        List<AuditEntry> shown = new ArrayList<>();
        List<Gap> redrives = redrives();
        for (AuditEntry line : lines) {
            if (line.bulkActionId() == null
                    || is(line, "redrive")
                            && redrives.stream().anyMatch(gap -> gap.has(line) && !doneAlone("redrive", gap))
                    || is(line, "cancel") && cancelled().has(line) && !doneAlone("cancel", cancelled())) {
                shown.add(line);
            }
        }
        return shown;
    }

    private static boolean is(AuditEntry line, String action) {
        return line.action().toLowerCase(Locale.ROOT).equals(action);
    }

    private boolean doneAlone(String action, Gap gap) {
        return lines.stream().anyMatch(line -> line.bulkActionId() == null && is(line, action) && gap.has(line));
    }

    /** @param until null: now */
    private record Gap(Instant from, @Nullable Instant until) {

        boolean has(AuditEntry line) {
            return line.at().isAfter(from) && (until == null || line.at().isBefore(until));
        }
    }

    /** Before the job was cancelled; empty if it was not. */
    private Gap cancelled() {
        Instant ended = job.endedAt();
        return job.state() == JobState.CANCELLED && ended != null
                ? new Gap(job.enqueuedAt(), ended.plusMillis(1))
                : new Gap(Instant.MAX, null);
    }

    /** Between a last attempt and the first one of the next round. */
    private List<Gap> redrives() {
        List<Gap> gaps = new ArrayList<>();
        List<FailedAttempt> errors = job.errors();
        for (int i = 1; i < errors.size(); i++) {
            if (errors.get(i).attempt() <= errors.get(i - 1).attempt()) {
                gaps.add(new Gap(errors.get(i - 1).at(), errors.get(i).at()));
            }
        }
        if (!errors.isEmpty()) {
            FailedAttempt last = errors.get(errors.size() - 1);
            // Waiting and ready jobs count the attempts that have been; running and ended ones have the number of
            // theirs.
            boolean begunAnew = job.state() == JobState.WAITING || job.state() == JobState.READY
                    ? job.attempt() < last.attempt()
                    : !dead() && job.attempt() <= last.attempt();
            if (begunAnew) {
                gaps.add(new Gap(last.at(), job.endedAt()));
            }
        }
        return gaps;
    }

    private boolean dead() {
        return job.state() == JobState.DEAD || job.state() == JobState.QUARANTINED;
    }
}
