package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.ChangeResult;
import dev.rowlock.queue.spi.PayloadException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Actions of operators on one job. Each is a statement that finds the job or leaves it alone. Thread-safe. */
public final class JobChanges {

    /** A job can change rooms between two looks; it does not do so this often within microseconds. */
    private static final int LOOKS = 10;

    private final Database database;
    private final AfterCommit afterCommit;
    private final PayloadRules payloads;
    private final JobStatements jobs;

    public JobChanges(Database database, AfterCommit afterCommit, PayloadRules payloads) {
        this.database = database;
        this.afterCommit = afterCommit;
        this.payloads = payloads;
        this.jobs = new JobStatements(database);
    }

    /** {@code RUNNING}: the job was asked to stop. */
    public ChangeResult cancel(long id, Actor by) {
        TransactionStanding standing = database.requireWritable("cancel");
        for (int look = 0; look < LOOKS; look++) {
            Optional<Others> others = others(id);
            if (jobs.cancelIdle(id, note("cancel", id, null, by))) {
                wake(others, standing);
                return ChangeResult.CHANGED;
            }
            if (jobs.requestCancel(id, note("cancel", id, "asked to stop", by))) {
                afterCommit.attention(standing);
                return ChangeResult.RUNNING;
            }
            JobState state = state(id);
            if (state == null) {
                return ChangeResult.NOT_FOUND;
            }
            if (!state.live()) {
                return ChangeResult.ALREADY_ENDED;
            }
        }
        throw elusive(id, "cancelled");
    }

    public ChangeResult runNow(long id, Actor by) {
        TransactionStanding standing = database.requireWritable("runNow");
        AuditNote note = note("run now", id, null, by);
        return change(id, "run now", Set.of(JobState.WAITING), () -> {
            Optional<JobStatements.Ready> ready = jobs.runNow(id, note);
            ready.ifPresent(place -> wake(standing, wakes -> {
                wakes.ready(place.queue(), place.rank());
                wakes.keys(place.queue()); // it may have one
            }));
            return ready.isPresent();
        });
    }

    public ChangeResult reschedule(long id, Due due, Actor by) {
        TransactionStanding standing = database.requireWritable("reschedule");
        Duration after = due.after();
        AuditNote note = note("reschedule", id, after == null ? "to " + due.at() : "by " + after, by);
        return change(id, "rescheduled", Set.of(JobState.WAITING, JobState.READY), () -> {
            boolean changed = jobs.reschedule(id, due, note);
            if (changed) {
                wake(standing, wakes -> wakes.waiting(after == null ? Duration.ZERO : after));
            }
            return changed;
        });
    }

    public ChangeResult changePriority(long id, int priority, Actor by) {
        int rank = -JobOptions.NONE.priority(priority).priority(); // or says what is allowed
        TransactionStanding standing = database.requireWritable("changePriority");
        AuditNote note = note("change priority", id, "to " + priority, by);
        return change(id, "given another priority", notRunning(), () -> {
            Optional<JobStatements.Reranked> changed = jobs.changeRank(id, rank, note);
            changed.map(JobStatements.Reranked::queue)
                    .ifPresent(queue -> wake(standing, wakes -> {
                        wakes.back(queue, rank);
                        wakes.keys(queue); // it may have one
                    }));
            afterCommit.quietly(standing);
            return changed.isPresent();
        });
    }

    public ChangeResult editPayload(long id, String json, boolean checked, Actor by) {
        payloads.requireStorable(json);
        TransactionStanding standing = database.requireWritable("editPayload");
        Optional<Replaced> job = jobs.find(id, row -> new Replaced(row.getString("type"), row.getString("payload")));
        if (job.isEmpty()) {
            return ChangeResult.NOT_FOUND;
        }
        String type = job.get().type();
        if (checked) {
            payloads.requireReadable(type, json);
        }
        requireOpen(id, type, job.get().payload());
        String stored = database.encryption().seal(Part.PAYLOAD, type, json);
        boolean large = stored.length() > NewJob.LARGE;
        AuditNote note = note("edit payload", id, checked ? null : "unchecked", by);
        return change(id, "given another payload", notRunning(), () -> {
            boolean changed = jobs.editPayload(id, large ? null : stored, large ? stored : null, note);
            afterCommit.quietly(standing);
            return changed;
        });
    }

    /** Whoever cannot read it would replace it by what stands in its place. */
    private void requireOpen(long id, String type, @Nullable String payload) {
        try {
            if (payload != null) {
                database.encryption().open(Part.PAYLOAD, type, payload);
            }
        } catch (PayloadException e) {
            throw new IllegalStateException(
                    "the payload of job %d cannot be edited here, but where its key is: %s"
                            .formatted(id, e.getMessage()),
                    e);
        }
    }

    /**
     * The job whose payload is replaced.
     *
     * @param payload null: it is gone
     */
    private record Replaced(String type, @Nullable String payload) {}

    /** Returns whether the job was dead. */
    public boolean redrive(long id, Actor by) {
        TransactionStanding standing = database.requireWritable("redrive");
        Optional<Others> others = others(id);
        boolean redriven = jobs.redrive(id, note("redrive", id, null, by));
        if (redriven) {
            wake(standing, wakes -> wakes.waiting(Duration.ZERO));
            wake(others, standing);
        }
        return redriven;
    }

    /** Returns whether the job was dead. */
    public boolean discard(long id, Actor by) {
        TransactionStanding standing = database.requireWritable("discard");
        Optional<Others> others = others(id);
        boolean discarded = jobs.discard(id, note("discard", id, null, by));
        wake(others, standing);
        return discarded;
    }

    /**
     * Who may wait for a job.
     *
     * @param keys its queue, if it has a key, in whatever order: it may hold up others of the key; null: nobody
     * @param workflow whether it belongs to one
     */
    private record Others(@Nullable String keys, boolean workflow) {}

    private Optional<Others> others(long id) {
        return jobs.find(
                id,
                row -> new Others(
                        row.getString("job_key") == null ? null : row.getString("queue"),
                        Headers.inWorkflow(row.getString("headers"))));
    }

    private void wake(Optional<Others> others, TransactionStanding standing) {
        wake(standing, wakes -> others.map(Others::keys).ifPresent(wakes::keys));
        if (others.filter(Others::workflow).isPresent()) {
            afterCommit.attention(standing);
        }
    }

    /** Tries until the change has found the job, or the job is where it cannot be changed. */
    private ChangeResult change(long id, String done, Set<JobState> where, BooleanSupplier statement) {
        for (int look = 0; look < LOOKS; look++) {
            if (statement.getAsBoolean()) {
                return ChangeResult.CHANGED;
            }
            JobState state = state(id);
            if (state == null) {
                return ChangeResult.NOT_FOUND;
            }
            if (!where.contains(state)) {
                return refused(state);
            }
        }
        throw elusive(id, done);
    }

    private static ChangeResult refused(JobState state) {
        return switch (state) {
            case READY, WAITING -> ChangeResult.UNCHANGED;
            case RUNNING -> ChangeResult.RUNNING;
            default -> ChangeResult.ALREADY_ENDED;
        };
    }

    private static Set<JobState> notRunning() {
        return Set.of(JobState.WAITING, JobState.READY, JobState.DEAD, JobState.QUARANTINED);
    }

    private @Nullable JobState state(long id) {
        return jobs.find(id, row -> JobState.of(row.getString("state"))).orElse(null);
    }

    private static IllegalStateException elusive(long id, String done) {
        return new IllegalStateException(
                "job %d changed rooms %d times while it was to be %s: try again".formatted(id, LOOKS, done));
    }

    private static AuditNote note(String action, long id, @Nullable String detail, Actor by) {
        return new AuditNote(by.who(), by.why(), action, "job " + id, detail);
    }

    private void wake(TransactionStanding standing, Consumer<Wakes> what) {
        Wakes wakes = new Wakes();
        what.accept(wakes);
        afterCommit.wake(wakes, standing);
    }
}
