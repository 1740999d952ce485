package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;

/** Removes workflows that ended long ago, once none of their jobs is dead any more: what could be redriven, or was, keeps its workflow. */
public final class RemoveOldWorkflows {

    private static final String SQL = """
            WITH old AS MATERIALIZED (
                -- Where completed jobs are not kept, those of workflows are, for a day.
                SELECT w.id FROM rowlock.workflow w
                 WHERE w.ended_at < statement_timestamp() - (SELECT least(max(greatest(done_millis, 86400000)), 31556952000000) FROM rowlock.retention) * interval '1 ms'
                   -- Nor is one of them alive again, which the sweep has not noted yet.
                   AND NOT EXISTS (SELECT FROM rowlock.workflow_job m
                                    WHERE m.workflow_id = w.id AND m.failure = 1
                                      AND coalesce((SELECT d.id FROM rowlock.dead d WHERE d.id = m.job_id),
                                                   (SELECT r.id FROM rowlock.waiting r WHERE r.id = m.job_id),
                                                   (SELECT r.id FROM rowlock.ready r WHERE r.id = m.job_id),
                                                   (SELECT r.id FROM rowlock.running r WHERE r.id = m.job_id),
                                                   (SELECT o.id FROM rowlock.workflow o WHERE o.id = -m.job_id AND o.ended_at IS NULL)) IS NOT NULL)
                   -- Nor one that runs as a part of another.
                   AND NOT EXISTS (SELECT FROM rowlock.workflow_job m JOIN rowlock.workflow o ON o.id = m.workflow_id
                                    WHERE m.job_id = -w.id AND o.ended_at IS NULL)
                 ORDER BY w.ended_at LIMIT :workflows
                   FOR UPDATE OF w SKIP LOCKED
            ), part AS MATERIALIZED (
                SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = ANY (ARRAY(SELECT id FROM old)) LIMIT :jobs
            ), jobs AS (
                DELETE FROM rowlock.workflow_job WHERE job_id = ANY (ARRAY(SELECT job_id FROM part))
            ), whole AS MATERIALIZED (
                -- Large ones take several rounds.
                SELECT id FROM old WHERE (SELECT count(*) FROM part) < :jobs
            ), edges AS (
                DELETE FROM rowlock.workflow_edge WHERE workflow_id = ANY (ARRAY(SELECT id FROM whole))
            ), steps AS (
                DELETE FROM rowlock.workflow_step WHERE workflow_id = ANY (ARRAY(SELECT id FROM whole))
            ), gone AS (
                DELETE FROM rowlock.workflow WHERE id = ANY (ARRAY(SELECT id FROM whole))
            )
            SELECT count(*) FROM old
            """;

    private static final int WORKFLOWS = 100;
    private static final int JOBS = 10_000;

    private final Database database;

    /** Removes workflows that ended long ago, some at a time. */
    private final String sql;

    public RemoveOldWorkflows(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Removes some of them; returns whether there may be more. */
    public boolean run() {
        return database.alone(connection -> ColdStatement.on(connection, sql)
                .set("workflows", WORKFLOWS)
                .set("jobs", JOBS)
                .only(row -> row.getLong(1) > 0));
    }
}
