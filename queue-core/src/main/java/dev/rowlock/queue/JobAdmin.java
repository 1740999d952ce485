package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.operate.AuditStatements;
import dev.rowlock.queue.internal.operate.BringForward;
import dev.rowlock.queue.internal.operate.BulkActionStatements;
import dev.rowlock.queue.internal.operate.JobChanges;
import dev.rowlock.queue.internal.operate.PayloadRules;
import dev.rowlock.queue.internal.operate.StoredPauses;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.AuditFilter;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.ChangeResult;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The controls of operators. Every action leaves a line in the audit table, in its own statement or transaction; say by {@link #by}
 * who acts and why: {@code admin.by("ann", "wrong price").redrive(42)}. Without that, {@code application} acts.
 *
 * <p>Every method joins the caller's transaction if there is one; workers hear of it after the commit. If the process dies
 * before, nothing has happened. An action on one job is one statement. A job that a node has, or that has ended, is left as it is, and the
 * answer says so.
 *
 * <p>What is done to many jobs is a {@link BulkAction}: the call counts the jobs, writes the action down and returns. The nodes
 * that run jobs do it in batches, and go on where it was should one of them die. Without such a node it waits.
 *
 * <p>Thread-safe.
 */
public final class JobAdmin {

    /** The longest page. */
    public static final int MAX_PAGE = 1_000;

    /** More jobs a second are no limit. */
    public static final int MAX_PER_SECOND = 1_000_000;

    private final Parts parts;
    private final Actor actor;

    /** What all actors share. */
    private record Parts(
            Database database,
            AfterCommit afterCommit,
            JobChanges changes,
            StoredPauses pauses,
            BulkActionStatements actions,
            BringForward forward,
            AuditStatements audit) {}

    JobAdmin(Database database, Wakeups wakeups, PayloadRules payloads) {
        AfterCommit afterCommit = new AfterCommit(database, wakeups);
        this.parts = new Parts(
                database,
                afterCommit,
                new JobChanges(database, afterCommit, payloads),
                new StoredPauses(database, afterCommit),
                new BulkActionStatements(database),
                new BringForward(database),
                new AuditStatements(database));
        this.actor = Actor.APPLICATION;
    }

    private JobAdmin(Parts parts, Actor actor) {
        this.parts = parts;
        this.actor = actor;
    }

    /**
     * The same controls in somebody's name.
     *
     * @param who 1 to 1,000 characters
     * @param why up to 1,000 characters; null: nobody says
     * @throws IllegalArgumentException if one of them is blank or too long
     */
    public JobAdmin by(String who, @Nullable String why) {
        return new JobAdmin(parts, new Actor(who, why));
    }

    // One job

    /**
     * Cancels a job. Waiting and ready ones move to {@code done} as cancelled. A running one is only asked to
     * stop: its handler's thread is interrupted and {@link dev.rowlock.queue.job.JobContext#stopReason()} says so; it
     * may still finish, and its outcome then stands. If its node dies instead, the job ends as cancelled. A
     * dead one has ended: {@link #discard(long)} it.
     *
     * @throws IllegalStateException if the job keeps moving between rooms faster than it can be caught
     */
    public CancelResult cancel(long id) {
        return switch (parts.changes.cancel(id, actor)) {
            case CHANGED -> CancelResult.CANCELLED;
            case RUNNING -> CancelResult.REQUESTED;
            case UNCHANGED, ALREADY_ENDED -> CancelResult.ALREADY_ENDED;
            case NOT_FOUND -> CancelResult.NOT_FOUND;
        };
    }

    /** Makes a waiting job ready at once, whatever it waits for. A dead one has ended: {@link #redrive(long)} it. */
    public ChangeResult runNow(long id) {
        return parts.changes.runNow(id, actor);
    }

    /**
     * Lets a waiting or ready job wait until this time, and for nothing else. One that has passed makes it due at once. Where the jobs of a key run in
     * order, one that has begun still holds up the others.
     */
    public ChangeResult reschedule(long id, Instant at) {
        return parts.changes.reschedule(id, Due.at(at), actor);
    }

    /** Lets a waiting or ready job wait so long from now, by the database's clock, and for nothing else. */
    public ChangeResult reschedule(long id, Duration delay) {
        return parts.changes.reschedule(id, Due.after(delay), actor);
    }

    /**
     * Changes the priority of a waiting, ready or dead job.
     *
     * @param priority as in {@link dev.rowlock.queue.job.JobOptions#priority}
     */
    public ChangeResult changePriority(long id, int priority) {
        return parts.changes.changePriority(id, priority, actor);
    }

    /**
     * Gives a waiting, ready or dead job another payload, once it is sure that the job's listener can read it.
     *
     * @param json a document that the payload's class can be read from, without fields that the class does not keep
     * @throws IllegalArgumentException if it is no JSON, is too large, or has a field that the class does not keep; and if no
     *     listener of this application has the job's type, so that nobody can check it
     * @throws dev.rowlock.queue.spi.PayloadException if the payload's class cannot be read from it
     */
    public ChangeResult editPayload(long id, String json) {
        return parts.changes.editPayload(id, json, true, actor);
    }

    /** As {@link #editPayload}, without a look at the payload's class: any JSON document that is not null or too large will do. */
    public ChangeResult editPayloadUnchecked(long id, String json) {
        return parts.changes.editPayload(id, json, false, actor);
    }

    /**
     * Runs a dead job again, with fresh attempts and crash count; its error history stays. False if it is not dead. Where its retries {@linkplain
     * dev.rowlock.queue.job.RetryPolicy#giveUpAfter give up after a time} that is over, it is tried once.
     */
    public boolean redrive(long id) {
        return parts.changes.redrive(id, actor);
    }

    /** Deletes a dead job for good. False if it is not dead. */
    public boolean discard(long id) {
        return parts.changes.discard(id, actor);
    }

    // Many jobs

    /**
     * Runs all dead jobs again that match the filter, as {@link #redrive(long)} does.
     *
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no dead job can match
     */
    public BulkAction redrive(JobFilter filter) {
        return bulk(BulkAction.Kind.REDRIVE, filter, null);
    }

    /**
     * The same at a rate.
     *
     * @param perSecond how many jobs a second at most, 1 to {@value #MAX_PER_SECOND}
     */
    public BulkAction redrive(JobFilter filter, int perSecond) {
        return bulk(BulkAction.Kind.REDRIVE, filter, valid(perSecond));
    }

    /**
     * Deletes all dead jobs for good that match the filter.
     *
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no dead job can match
     */
    public BulkAction discard(JobFilter filter) {
        return bulk(BulkAction.Kind.DISCARD, filter, null);
    }

    /**
     * The same at a rate.
     *
     * @param perSecond how many jobs a second at most, 1 to {@value #MAX_PER_SECOND}
     */
    public BulkAction discard(JobFilter filter, int perSecond) {
        return bulk(BulkAction.Kind.DISCARD, filter, valid(perSecond));
    }

    /**
     * Cancels all waiting and ready jobs that match the filter. Running ones go on, and so do those that go back to waiting or ready after
     * the action has passed their ids.
     *
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no waiting or ready
     *     job can match
     */
    public BulkAction cancel(JobFilter filter) {
        return bulk(BulkAction.Kind.CANCEL, filter, null);
    }

    /**
     * The same at a rate.
     *
     * @param perSecond how many jobs a second at most, 1 to {@value #MAX_PER_SECOND}
     */
    public BulkAction cancel(JobFilter filter, int perSecond) {
        return bulk(BulkAction.Kind.CANCEL, filter, valid(perSecond));
    }

    /** Empties a queue: as {@link #cancel(JobFilter)}, of all its jobs. Its dead jobs stay. */
    public BulkAction purge(String queue) {
        return cancel(JobFilter.where().queue(queue));
    }

    /**
     * Makes all waiting jobs that match the filter due so much earlier, but none before now. For delays and back-off that last longer because the
     * database's clock was set back: {@code bringForward(JobFilter.where().time(JobTime.ENQUEUED, TimeRange.from(now)), Duration.ofHours(1))} is for those
     * that were enqueued in the hour that the clock has before it once more. They count as enqueued so much earlier, too, so that the same call moves none
     * of them again; with another filter it may.
     *
     * <p>A delay looks like a time that somebody named: leave out the jobs that are due at such a time by the filter. Jobs that wait for other jobs or for
     * a policy stay as they are, and so do those that somebody else is changing at this moment, and those that are enqueued after the call.
     *
     * <p>No bulk action: it is done when the call returns, in one transaction, so that all jobs are moved or none. They are locked until it ends.
     *
     * @param by at least a millisecond, 100 years at most
     * @return how many jobs are due earlier
     * @throws IllegalArgumentException if {@code by} is out of range, or the filter has no condition and is not {@link JobFilter#all}, or no waiting job
     *     can match
     */
    public int bringForward(JobFilter filter, Duration by) {
        if (by.compareTo(Duration.ofMillis(1)) < 0 || by.compareTo(Due.MAX_DELAY) > 0) {
            throw new IllegalArgumentException("jobs cannot be brought forward by %s: it must lie between 1ms and %s"
                    .formatted(DurationText.of(by), DurationText.of(Due.MAX_DELAY)));
        }
        TransactionStanding standing = parts.database.requireWritable("bringForward");
        int jobs = parts.forward.run(standing, filter, by, actor);
        Wakes wakes = new Wakes();
        wakes.waiting(Duration.ZERO);
        parts.afterCommit.wake(wakes, standing);
        return jobs;
    }

    private BulkAction bulk(BulkAction.Kind kind, JobFilter filter, @Nullable Integer perSecond) {
        TransactionStanding standing =
                parts.database.requireWritable(kind.name().toLowerCase(Locale.ROOT));
        BulkAction action = parts.actions.create(standing, kind, filter, perSecond, actor);
        parts.afterCommit.attention(standing);
        return action;
    }

    private static int valid(int perSecond) {
        if (perSecond < 1 || perSecond > MAX_PER_SECOND) {
            throw new IllegalArgumentException(
                    "%d jobs a second: the rate must lie between 1 and %d".formatted(perSecond, MAX_PER_SECOND));
        }
        return perSecond;
    }

    /** The bulk action with this id as it is now; empty if there is none, or it ended so long ago that retention has removed it. */
    public Optional<BulkAction> bulkAction(long id) {
        return parts.actions.find(id);
    }

    /**
     * A page of bulk actions, newest first. For the next page pass the last id as {@code before}.
     *
     * @param before only actions with smaller ids; null for the first page
     * @param limit 1 to {@value #MAX_PAGE}
     */
    public List<BulkAction> bulkActions(@Nullable Long before, int limit) {
        return parts.actions.list(first(before), validLimit(limit));
    }

    /** Ends a bulk action. What it has done stays. False if it does not go on. Waits for a batch that is under way. */
    public boolean cancelBulkAction(long id) {
        TransactionStanding standing = parts.database.requireWritable("cancelBulkAction");
        boolean ended = parts.actions.end(
                id, new AuditNote(actor.who(), actor.why(), "cancel bulk action", "bulk action " + id, null));
        parts.afterCommit.quietly(standing);
        return ended;
    }

    // Pauses

    /**
     * Pauses a queue on all nodes: they claim nothing more from it and give back what they have not started. Running
     * jobs go on. Takes effect within a heartbeat, at once where notifications arrive. Jobs may still be enqueued. Outlasts restarts. Who
     * paused it first stays its {@link Pause#who}. False if it is paused already.
     */
    public boolean pause(String queue) {
        return parts.pauses.pause(Pause.Kind.QUEUE, Names.queue(queue), actor);
    }

    /** Ends the pause of a queue. False if it is not paused. */
    public boolean resume(String queue) {
        return parts.pauses.resume(Pause.Kind.QUEUE, Names.queue(queue), actor);
    }

    /** Pauses a type on all nodes, as {@link #pause} does with a queue: its jobs stay ready, others overtake them. */
    public boolean pauseType(String type) {
        return parts.pauses.pause(Pause.Kind.TYPE, Names.type(type), actor);
    }

    /** Ends the pause of a type. False if it is not paused. */
    public boolean resumeType(String type) {
        return parts.pauses.resume(Pause.Kind.TYPE, Names.type(type), actor);
    }

    /** Pauses all queues, as {@link #pause} does with one. */
    public boolean pauseEverything() {
        return parts.pauses.pause(Pause.Kind.EVERYTHING, "", actor);
    }

    /** Ends the pause of everything. Queues and types that are paused by themselves stay so. False if it is not paused. */
    public boolean resumeEverything() {
        return parts.pauses.resume(Pause.Kind.EVERYTHING, "", actor);
    }

    /** All pauses that have not ended. */
    public List<Pause> pauses() {
        return parts.pauses.list();
    }

    // Audit

    /**
     * A page of what was done, newest first. For the next page pass the last id as {@code before}. Lines are kept for 90
     * days, or as {@link dev.rowlock.queue.settings.RetentionSettings#audit} says.
     *
     * @param before only lines with smaller ids; null for the first page
     * @param limit 1 to {@value #MAX_PAGE}
     */
    public List<AuditEntry> audit(@Nullable Long before, int limit) {
        return audit(AuditFilter.ALL, before, limit);
    }

    /** The same of some lines. It looks through the table from the newest line on: a filter that few lines satisfy takes some 0.3 s for a million lines. */
    public List<AuditEntry> audit(AuditFilter filter, @Nullable Long before, int limit) {
        return parts.audit.page(filter, first(before), validLimit(limit));
    }

    /**
     * What was done to this job since it was enqueued, newest first, and the bulk actions since then that may have been for it: their filters do not rule
     * it out by queue, type, key or kind of error. It looks through the lines since the job was enqueued.
     *
     * @param limit 1 to {@value #MAX_PAGE}
     */
    public List<AuditEntry> auditOf(JobDetails job, int limit) {
        return parts.audit.ofJob(
                new AuditStatements.Subject(job.id(), job.enqueuedAt(), job.queue(), job.type(), job.key()),
                validLimit(limit));
    }

    private static long first(@Nullable Long before) {
        return before == null ? Long.MAX_VALUE : before;
    }

    private static int validLimit(int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("limit %d must lie between 1 and %d".formatted(limit, MAX_PAGE));
        }
        return limit;
    }
}
