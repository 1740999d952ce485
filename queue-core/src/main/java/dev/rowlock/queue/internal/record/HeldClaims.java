package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Tokens;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a node notes of jobs that it has claimed, and what it asks when it does not know whether it still has them. */
public final class HeldClaims {

    private static final String PROGRESS =
            "UPDATE rowlock.running SET progress = :percent, progress_note = :note WHERE id = :job AND token = :token";

    private static final String EXTEND = """
            UPDATE rowlock.running SET deadline = statement_timestamp() + :millis * interval '1 ms'
             WHERE id = :job AND token = :token
            RETURNING deadline
            """;

    private static final String EXTEND_ALL = IndexPlan.OUTCOMES_PREFIX + """
            WITH extended AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS o (id, token)
            )
            UPDATE rowlock.running r SET deadline = statement_timestamp() + ? * interval '1 ms'
              FROM extended o
             WHERE r.id = ANY (ARRAY(SELECT id FROM extended)) AND r.id = o.id AND r.token = o.token
            RETURNING r.token
            """;

    // A job that rescue took and cancelled lies there too, under the same token: it has one crash more than its claim
    // had.
    private static final String DONE = """
            SELECT d.token, d.state
              FROM rowlock.done_jobs(:jobs) AS d, unnest(:tokens::bigint[], :crashes::smallint[]) AS o (token, crashes)
             WHERE d.token = o.token AND d.crashes = o.crashes
            """;

    private static final String LOCKED = """
            WITH claimed AS MATERIALIZED (
                SELECT r.id, r.token FROM rowlock.running r, unnest(:jobs::bigint[], :tokens::bigint[]) AS o (id, token)
                 WHERE r.id = o.id AND r.token = o.token
            ), free AS MATERIALIZED (
                SELECT r.token FROM rowlock.running r, claimed c WHERE r.id = c.id FOR UPDATE OF r SKIP LOCKED
            )
            SELECT token FROM claimed WHERE token NOT IN (SELECT token FROM free)
            """;

    private final Database database;
    private final String progress;
    private final String extend;
    private final String extendAll;

    public HeldClaims(Database database) {
        this.database = database;
        this.progress = database.sql(PROGRESS);
        this.extend = database.sql(EXTEND);
        this.extendAll = database.sql(EXTEND_ALL);
    }

    /** Notes how far the handler of a claimed job is. Returns whether the claim was still held. */
    public boolean progress(Claim claim, int percent, @Nullable String note) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            return ColdStatement.on(connection, progress)
                            .set("percent", percent)
                            .set("note", note)
                            .set("job", claim.jobId())
                            .set("token", claim.token())
                            .update()
                    == 1;
        });
    }

    /** Moves the deadline of a claimed job. Returns the new one on the database's clock; empty if the claim was lost. */
    public Optional<Instant> extend(Claim claim, Duration fromNow) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            return ColdStatement.on(connection, extend)
                    .set("millis", fromNow.toMillis())
                    .set("job", claim.jobId())
                    .set("token", claim.token())
                    .first(row -> row.getObject(1, OffsetDateTime.class).toInstant());
        });
    }

    /**
     * Moves the deadlines of the jobs of a chunk whose listener is called once more. Returns the tokens that were still held; the others' claims were
     * lost.
     */
    public Set<Long> extendAll(List<Claim> claims, Duration fromNow) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, extendAll)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
                statement.setLong(3, fromNow.toMillis());
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Tokens.read(rows, claims.size());
                }
            }
        });
    }

    /**
     * Tells which claims ended in done by an outcome of their own, for whoever did not get the answer when they did: completed or cancelled by token;
     * nothing for other jobs, nor where done jobs are not kept.
     */
    public Map<Long, JobState> done(List<ClaimedJob> jobs) {
        return database.alone(connection -> {
            Map<Long, JobState> states = new HashMap<>();
            ColdStatement.on(connection, database.sql(DONE))
                    .set("jobs", Columns.longs(jobs, ClaimedJob::id))
                    .set("tokens", Columns.longs(jobs, job -> job.claim().token()))
                    .set("crashes", Columns.shorts(jobs, ClaimedJob::crashes))
                    .list(row -> states.put(row.getLong(1), JobState.of(row.getString(2))));
            return states;
        });
    }

    /** Tells claims whose rows somebody else has locked from those that are free or gone: the tokens of those that are locked. Waits for nobody. */
    public Set<Long> locked(List<Claim> claims) {
        return database.alone(connection -> new HashSet<>(ColdStatement.on(connection, database.sql(LOCKED))
                .set("jobs", Columns.longs(claims, Claim::jobId))
                .set("tokens", Columns.longs(claims, Claim::token))
                .list(row -> row.getLong(1))));
    }
}
