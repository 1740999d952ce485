package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Tokens;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.Set;

/** Moves claimed jobs that failed for good to dead. */
public final class BuryJobs {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX + """
            WITH outcome AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::text[]) AS o (id, token, error)
            ), failed AS (
                DELETE FROM rowlock.running r
                 USING outcome o
                 WHERE r.id = ANY (ARRAY(SELECT id FROM outcome)) AND r.id = o.id AND r.token = o.token
                RETURNING r.*, rowlock.with_error(r.errors, r.attempt, r.node_id, o.error::jsonb || jsonb_build_object('claimedAt', r.claimed_at)) AS history
            ), buried AS (
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, claimed_at, token, node_id, timeout_millis, rank, attempt,
                                          crashes, max_retries, state, queue, job_key, type, payload, headers, errors)
                SELECT id, statement_timestamp(), enqueued_at, claimed_at, token, node_id, timeout_millis, rank, attempt,
                       crashes, max_retries, 'failed', queue, job_key, type, payload, headers, history
                  FROM failed
            )
            SELECT token FROM failed
            """;

    /** One job that failed for good; {@code error} is a JSON object. */
    public record Buried(Claim claim, String error) {}

    private final Database database;
    private final String sql;

    public BuryJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the tokens that were still held; the others' claims were lost. */
    public Set<Long> run(List<Buried> jobs) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(jobs, job -> job.claim().jobId()));
                statement.setObject(2, Columns.longs(jobs, job -> job.claim().token()));
                statement.setObject(3, Columns.texts(jobs, Buried::error));
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Tokens.read(rows, jobs.size());
                }
            }
        });
    }
}
