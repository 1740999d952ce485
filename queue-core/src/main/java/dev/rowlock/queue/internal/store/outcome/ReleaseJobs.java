package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/**
 * Gives claimed jobs back to ready, to the place in the queue that they had. The attempt does not count. A job that
 * somebody asked to cancel ends as cancelled instead.
 */
public final class ReleaseJobs {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed("", "r.*")
                    .to(Room.DONE)
                    .when("cancel_requested")
                    .set("state", "'cancelled'")
                    .orTo(Room.READY)
                    .set("attempt", "attempt - 1")
                    .answering("SELECT token, cancel_requested, rank FROM moved");

    private final Database database;
    private final String sql;
    private final EnsureDonePartitions partitions;

    public ReleaseJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.partitions = new EnsureDonePartitions(database);
    }

    public MovedJobs run(List<Claim> claims) {
        return partitions.around(() -> database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return MovedJobs.read(rows, claims.size());
                }
            }
        }));
    }
}
