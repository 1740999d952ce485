package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.Tokens;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ends claimed jobs as completed or cancelled: into done, or away where done jobs are not kept. */
public final class FinishJobs {

    /** Almost always all claims are found to be held: then their tokens need not travel. */
    static final String HELD =
            "SELECT count(*), CASE WHEN count(*) < (SELECT count(*) FROM outcome) THEN array_agg(token) END FROM %s";

    private static final String KEEP = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed("cancelled boolean, result text", "r.*, o.cancelled, o.result")
                    .to(Room.DONE)
                    .set("state", "CASE WHEN cancelled THEN 'cancelled' ELSE 'completed' END")
                    .set("result", "result::json")
                    .returning("token")
                    .answering(HELD.formatted("into_done"));

    private static final String FORGET =
            IndexPlan.OUTCOMES_PREFIX + Move.claimed("", "r.token").answering(HELD.formatted("moved"));

    /**
     * One job that ended.
     *
     * @param state completed or cancelled
     * @param result JSON; null for none
     */
    public record Finished(
            Claim claim, JobState state, @Nullable String result) {}

    private final Database database;
    private final boolean keep;
    private final String sql;
    private final EnsureDonePartitions partitions;

    public FinishJobs(Database database, boolean keep) {
        this.database = database;
        this.keep = keep;
        this.sql = database.sql(keep ? KEEP : FORGET);
        this.partitions = new EnsureDonePartitions(database);
    }

    /** Returns the tokens that were still held; the others' claims were lost. */
    public Set<Long> run(List<Finished> jobs) {
        return partitions.around(() -> database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(jobs, job -> job.claim().jobId()));
                long[] tokens = Columns.longs(jobs, job -> job.claim().token());
                statement.setObject(2, tokens);
                if (keep) {
                    statement.setObject(3, Columns.flags(jobs, job -> job.state() == JobState.CANCELLED));
                    statement.setObject(4, Columns.texts(jobs, Finished::result));
                }
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Tokens.readAggregate(rows, tokens);
                }
            }
        }));
    }
}
