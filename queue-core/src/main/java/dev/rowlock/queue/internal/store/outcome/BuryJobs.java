package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.ErrorHistory;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/** Moves claimed jobs that failed for good to dead; those that were to be cancelled to done, as everywhere where a job does not end well. */
public final class BuryJobs {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed("error text", "r.*, ?::boolean AS may_cancel, " + ErrorHistory.WITH_ERROR + " AS history")
                    .set("errors", "history")
                    .to(Room.DONE)
                    .when("cancel_requested AND may_cancel")
                    .set("state", "'cancelled'")
                    .orTo(Room.DEAD)
                    .set("state", "'failed'")
                    .answering("SELECT token, cancel_requested AND may_cancel FROM moved");

    /** One job that failed for good; {@code error} is a JSON object. */
    public record Buried(Claim claim, String error) {}

    private final Database database;
    private final String sql;
    private final EnsureDonePartitions partitions;

    public BuryJobs(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.sql = database.sql(SQL);
    }

    /** None of them will run again. */
    public MovedJobs run(List<Buried> jobs) {
        return partitions.around(() -> run(jobs, true));
    }

    /** Moves them to dead, also those that were to be cancelled: where done takes them not. */
    public MovedJobs toDead(List<Buried> jobs) {
        return run(jobs, false);
    }

    private MovedJobs run(List<Buried> jobs, boolean mayCancel) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(jobs, job -> job.claim().jobId()));
                statement.setObject(2, Columns.longs(jobs, job -> job.claim().token()));
                statement.setObject(3, Columns.texts(jobs, Buried::error));
                statement.setBoolean(4, mayCancel);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return MovedJobs.readEnded(rows);
                }
            }
        });
    }
}
