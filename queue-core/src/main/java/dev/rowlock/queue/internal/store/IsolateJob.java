package dev.rowlock.queue.internal.store;

import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;

/** Notes that a job which has been through a crash is started now, as the only such job of its node. */
public final class IsolateJob {

    private static final String SQL = "UPDATE rowlock.running SET isolated = true WHERE id = ? AND token = ?";

    private final Database database;
    private final String sql;

    public IsolateJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns whether the claim was still held. */
    public boolean run(Claim claim) {
        return database.alone(connection -> {
            try (PreparedStatement statement = FreshPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                return statement.executeUpdate() == 1;
            }
        });
    }
}
