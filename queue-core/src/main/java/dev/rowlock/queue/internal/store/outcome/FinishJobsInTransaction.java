package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.Tokens;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Completes the jobs of a chunk inside the caller's transaction, whose plan settings it leaves as they are. */
public final class FinishJobsInTransaction {

    private static final String KEEP = IndexPlan.OUTCOMES_WITHIN
            + Move.claimed("result text", "r.*, o.result")
                    .to(Room.DONE)
                    .set("state", "'completed'")
                    .set("result", "result::json")
                    .returning("token")
                    .answering(FinishJobs.HELD.formatted("into_done"))
            + ";\n" + IndexPlan.RESTORED;

    private static final String FORGET = IndexPlan.OUTCOMES_WITHIN
            + Move.claimed("", "r.token").answering(FinishJobs.HELD.formatted("moved"))
            + ";\n" + IndexPlan.RESTORED;

    /**
     * One job that ended.
     *
     * @param result JSON; null for none
     */
    public record Finished(Claim claim, @Nullable String result) {}

    private final Database database;
    private final boolean keep;
    private final String sql;

    public FinishJobsInTransaction(Database database, boolean keep) {
        this.database = database;
        this.keep = keep;
        this.sql = database.sql(keep ? KEEP : FORGET);
    }

    /** Returns the tokens that were still held. Unless these are all, the transaction must roll back. */
    public Set<Long> run(List<Finished> jobs) {
        return database.joined(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                long[] tokens = Columns.longs(jobs, job -> job.claim().token());
                statement.setObject(1, Columns.longs(jobs, job -> job.claim().jobId()));
                statement.setObject(2, tokens);
                if (keep) {
                    statement.setObject(3, Columns.texts(jobs, Finished::result));
                }
                try (ResultSet rows = IndexPlan.queryWithin(statement)) {
                    return Tokens.readAggregate(rows, tokens);
                }
            }
        });
    }
}
