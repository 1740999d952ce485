package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.ErrorHistory;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Due;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves claimed jobs to waiting: failed ones that will be tried again, snoozed ones, and those whose type this node
 * does not know. A job that somebody asked to cancel ends as cancelled instead.
 */
public final class DeferJobs {

    // A wait that grows with the job's age, between delay_millis and by_age_up_to, doubles each time by itself.
    private static final String SQL = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed(
                            "delay_millis bigint, due_at timestamptz, by_age_up_to bigint, reason text, error text",
                            """
                            r.*, o.reason,
                            CASE WHEN o.error IS NULL THEN r.attempt - 1 ELSE r.attempt END AS attempts_made,
                            CASE WHEN o.error IS NULL THEN r.errors ELSE %s END AS history,
                            coalesce(o.due_at, statement_timestamp() + greatest(o.delay_millis * interval '1 ms',
                                CASE WHEN o.by_age_up_to IS NOT NULL -- least() alone would skip the null and wait for the job's age
                                     THEN least(statement_timestamp() - r.enqueued_at, o.by_age_up_to * interval '1 ms') END)) AS due_at\
                            """.formatted(ErrorHistory.WITH_ERROR))
                    .set("errors", "history")
                    .to(Room.DONE)
                    .when("cancel_requested")
                    .set("state", "'cancelled'")
                    .orTo(Room.WAITING)
                    .set("due_at", "due_at")
                    .set("reason", "reason")
                    .set("attempt", "attempts_made")
                    .answering("SELECT token, cancel_requested, rank FROM moved");

    /**
     * One job to be run later.
     *
     * @param byAgeUpTo if set, the wait is at least the job's age, up to this
     * @param reason retry, snooze, unknown-type, not-started or crash
     * @param error kept in the job's history, and makes this attempt count; null: the attempt does not count
     */
    public record Deferred(
            Claim claim,
            Due due,
            @Nullable Duration byAgeUpTo,
            String reason,
            @Nullable String error) {}

    private final Database database;
    private final String sql;
    private final EnsureDonePartitions partitions;

    public DeferJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.partitions = new EnsureDonePartitions(database);
    }

    public MovedJobs run(List<Deferred> jobs) {
        return partitions.around(() -> database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(jobs, job -> job.claim().jobId()));
                statement.setObject(2, Columns.longs(jobs, job -> job.claim().token()));
                statement.setObject(3, Columns.millis(jobs, job -> job.due().after()));
                statement.setObject(4, Columns.instants(jobs, job -> job.due().at()));
                statement.setObject(5, Columns.millis(jobs, Deferred::byAgeUpTo));
                statement.setObject(6, Columns.texts(jobs, Deferred::reason));
                statement.setObject(7, Columns.texts(jobs, Deferred::error));
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return MovedJobs.read(rows, jobs.size());
                }
            }
        }));
    }
}
