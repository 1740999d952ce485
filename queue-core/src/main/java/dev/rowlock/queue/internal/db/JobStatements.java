package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.job.Due;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds one job, or does to it what people do. Each is one statement that finds the job or leaves it alone, and joins the caller's transaction. Where a note
 * may be null, nobody is named, and the audit gets no line. Thread-safe.
 */
public final class JobStatements {

    private static final String FIND = "SELECT * FROM rowlock.jobs_by_id(ARRAY[:id::bigint])";

    private static final String GLANCE =
            "SELECT id, state, type, attempt, progress, progress_note FROM rowlock.jobs_by_id(:ids) ORDER BY id";

    private static final String CANCEL_IDLE = cancelled(
                    Move.of("(TABLE from_waiting UNION ALL TABLE from_ready) AS taken", """
                    WITH from_waiting AS (
                        DELETE FROM rowlock.waiting WHERE id = :id
                        RETURNING %1$s
                    ), from_ready AS (
                        DELETE FROM rowlock.ready WHERE id = :id
                        RETURNING %1$s
                    )""".formatted(Room.JOB)))
            .returning("id")
            .answering(AuditNote.of("into_done") + "SELECT id FROM into_done");

    /** Jobs that do not run end as cancelled. */
    public static Move cancelled(Move taken) {
        return taken.to(Room.DONE, "state = 'cancelled'");
    }

    private static final String REQUEST_CANCEL = """
            WITH changed AS (
                UPDATE rowlock.running SET cancel_requested = true WHERE id = :id
                RETURNING id
            )
            """ + AuditNote.of("changed") + "SELECT id FROM changed";

    private static final String RUN_NOW = Move.from(Room.WAITING, "due", """
                    WITH due AS (
                        DELETE FROM rowlock.waiting WHERE id = :id
                        RETURNING *
                    ), alone AS (
                        -- It waits for the end of another job no longer.
                        DELETE FROM rowlock.once_more WHERE job_id = ANY (ARRAY(SELECT id FROM due))
                    )""")
            .to(Room.READY, "ready_at = statement_timestamp()")
            .returning("queue, rank")
            .answering(AuditNote.of("into_ready") + "SELECT queue, rank FROM into_ready");

    // One of the two finds the job: a snapshot sees it in one room. A job with a key that has begun keeps its reason:
    // in strict order, the others of its key wait for it.
    private static final String RESCHEDULE = Move.from(
                    Room.READY, "back, wanted", """
                    WITH wanted AS (
                        SELECT coalesce(at, statement_timestamp() + delay_millis * interval '1 ms') AS due_at
                          FROM (SELECT :at::timestamptz AS at, :delay_millis::bigint AS delay_millis) AS given
                    ), put_off AS (
                        UPDATE rowlock.waiting SET due_at = wanted.due_at,
                               reason = CASE WHEN job_key IS NOT NULL AND %s THEN reason ELSE 'scheduled' END
                          FROM wanted WHERE id = :id
                        RETURNING id
                    ), alone AS (
                        -- It waits for this time now, and no longer for the end of another job.
                        DELETE FROM rowlock.once_more WHERE job_id = ANY (ARRAY(SELECT id FROM put_off))
                    ), back AS (
                        DELETE FROM rowlock.ready WHERE id = :id
                        RETURNING *
                    )""".formatted(BegunJobs.waiting("waiting")))
            .to(
                    Room.WAITING,
                    "due_at = wanted.due_at",
                    "reason = CASE WHEN job_key IS NULL THEN 'scheduled' WHEN crashes > 0 THEN 'crash' WHEN attempt > 0 THEN 'retry' ELSE 'scheduled' END")
            .returning("id")
            .answering(", changed AS (TABLE put_off UNION ALL TABLE into_waiting)\n" + AuditNote.of("changed")
                    + "SELECT id FROM changed");

    // A ready job keeps its time, so among those of its new rank it stands where its age says.
    private static final String CHANGE_RANK = """
            WITH of_waiting AS (
                UPDATE rowlock.waiting SET rank = :rank WHERE id = :id
                RETURNING id, NULL::text AS queue
            ), of_ready AS (
                UPDATE rowlock.ready SET rank = :rank WHERE id = :id
                RETURNING id, queue
            ), of_dead AS (
                UPDATE rowlock.dead SET rank = :rank WHERE id = :id
                RETURNING id, NULL::text AS queue
            ), of_held AS (
                UPDATE rowlock.held_job SET rank = :rank WHERE job_id = :id -- what its policy is shown
            ), changed AS (
                TABLE of_waiting UNION ALL TABLE of_ready UNION ALL TABLE of_dead
            )
            """ + AuditNote.of("changed") + "SELECT queue FROM changed";

    // Its checkpoint stays: an operator knows both. Where a large payload lies aside, it is written only if the job was
    // found: a claim that came first runs with the old one. A payload that is small now leaves nothing aside.
    private static final String EDIT_PAYLOAD = """
            WITH wanted AS (
                SELECT :small::json AS small, :large::json AS large
            ), of_waiting AS (
                UPDATE rowlock.waiting SET payload = wanted.small FROM wanted WHERE id = :id
                RETURNING id
            ), of_ready AS (
                UPDATE rowlock.ready SET payload = wanted.small FROM wanted WHERE id = :id
                RETURNING id
            ), of_dead AS (
                UPDATE rowlock.dead SET payload = wanted.small FROM wanted WHERE id = :id
                RETURNING id
            ), changed AS (
                TABLE of_waiting UNION ALL TABLE of_ready UNION ALL TABLE of_dead
            ), aside AS (
                INSERT INTO rowlock.payload (job_id, bytes, payload)
                SELECT id, octet_length(large::text), large FROM changed, wanted WHERE large IS NOT NULL
                ON CONFLICT (job_id) DO UPDATE SET bytes = excluded.bytes, payload = excluded.payload
            ), removed AS (
                DELETE FROM rowlock.payload USING changed, wanted WHERE job_id = id AND large IS NULL
            )
            """ + AuditNote.of("changed") + "SELECT id FROM changed";

    private static final String REDRIVE = redriven(Move.from(Room.DEAD, "redriven", """
                    WITH redriven AS (
                        DELETE FROM rowlock.dead WHERE id = :id
                        RETURNING *
                    )"""))
            .returning("id")
            .answering(AuditNote.of("into_waiting") + "SELECT id FROM into_waiting");

    /** Dead jobs get another life, due now, with fresh attempts and their error history. */
    public static Move redriven(Move dead) {
        return dead.to(
                Room.WAITING, "due_at = statement_timestamp()", "reason = 'redrive'", "attempt = 0", "crashes = 0");
    }

    /** The middle of a statement that has deleted dead jobs as {@code discarded}: it writes down how many, so that the books balance. */
    public static final String DISCARDED_NOTED = """
            noted AS (
                INSERT INTO rowlock.dropped (dropped_at, room, jobs)
                SELECT statement_timestamp(), 'dead', count(*) FROM discarded HAVING count(*) > 0
            )
            """;

    private static final String DISCARD =
            """
            WITH discarded AS (
                DELETE FROM rowlock.dead WHERE id = :id
                RETURNING id
            ), """ + DISCARDED_NOTED + AuditNote.of("discarded") + "SELECT id FROM discarded";

    private static final String DISCARD_OLD = """
            WITH discarded AS (
                DELETE FROM rowlock.dead
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.dead WHERE died_at < statement_timestamp() - :millis * interval '1 ms'
                        ORDER BY died_at LIMIT :limit
                          FOR UPDATE SKIP LOCKED))
                RETURNING id
            ), """ + DISCARDED_NOTED + "SELECT count(*) FROM discarded";

    /** Where a job is ready now. */
    public record Ready(String queue, int rank) {}

    /** @param queue where the job is ready; null: it waits, or is dead */
    public record Reranked(@Nullable String queue) {}

    private final Database database;
    private final EnsureDonePartitions partitions;

    public JobStatements(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
    }

    /** The job in whatever room it is. */
    public <T> Optional<T> find(long id, Row<T> row) {
        return database.joined(connection -> on(connection, FIND, id).first(row));
    }

    /** Where some jobs are, whatever room they are in: for those who watch them. Reads no payload, and finds each by its primary key. */
    public <T> List<T> glance(Collection<Long> ids, Row<T> row) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(GLANCE))
                .set("ids", ids.toArray(Long[]::new))
                .list(row));
    }

    /** Takes a job that does not run to done, as cancelled. Returns whether it was waiting or ready. */
    public boolean cancelIdle(long id, @Nullable AuditNote note) {
        return partitions.aroundJoined(
                connection -> any(on(connection, CANCEL_IDLE, id).set(AuditNote.values(note))));
    }

    /** Notes that a job is to be cancelled; its node hears with its next heartbeat. Returns whether it is running. */
    public boolean requestCancel(long id, @Nullable AuditNote note) {
        return changed(REQUEST_CANCEL, id, note);
    }

    /** Makes a waiting job ready, before it is due. Empty: the job does not wait. */
    public Optional<Ready> runNow(long id, AuditNote note) {
        return database.joined(connection -> on(connection, RUN_NOW, id)
                .set(AuditNote.values(note))
                .first(row -> new Ready(row.getString(1), row.getInt(2))));
    }

    /** Lets a job that does not run wait until another time. Returns whether it was waiting or ready. */
    public boolean reschedule(long id, Due due, AuditNote note) {
        Instant at = due.at();
        Duration after = due.after();
        return database.joined(connection -> any(on(connection, RESCHEDULE, id)
                .set("at", at == null ? null : at.atOffset(ZoneOffset.UTC))
                .set("delay_millis", after == null ? null : after.toMillis())
                .set(AuditNote.values(note))));
    }

    /** Changes the priority of a job that no node has. Empty: it is running, has ended well, or is not there. */
    public Optional<Reranked> changeRank(long id, int rank, AuditNote note) {
        return database.joined(connection -> on(connection, CHANGE_RANK, id)
                .set("rank", rank)
                .set(AuditNote.values(note))
                .first(row -> new Reranked(row.getString(1))));
    }

    /**
     * Gives a job that no node has another payload. Returns whether it was waiting, ready or dead.
     *
     * @param small JSON for the job's row; null: it lies aside
     * @param large JSON for the table of large payloads; null: it is small
     */
    public boolean editPayload(long id, @Nullable String small, @Nullable String large, AuditNote note) {
        return database.joined(connection -> any(on(connection, EDIT_PAYLOAD, id)
                .set("small", small)
                .set("large", large)
                .set(AuditNote.values(note))));
    }

    /** Gives a dead job another life: to waiting, due now, with fresh attempts and its error history. Returns whether it was dead. */
    public boolean redrive(long id, @Nullable AuditNote note) {
        return changed(REDRIVE, id, note);
    }

    /** Deletes a dead job, and writes that down. Returns whether it was dead. */
    public boolean discard(long id, @Nullable AuditNote note) {
        return changed(DISCARD, id, note);
    }

    /** Deletes jobs that died longer ago than this. Returns how many. */
    public int discardOlderThan(Duration age, int limit) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(DISCARD_OLD))
                .set("millis", age.toMillis())
                .set("limit", limit)
                .only(row -> row.getInt(1)));
    }

    private boolean changed(String sql, long id, @Nullable AuditNote note) {
        return database.joined(connection -> any(on(connection, sql, id).set(AuditNote.values(note))));
    }

    private ColdStatement on(Connection connection, String sql, long id) {
        return ColdStatement.on(connection, database.sql(sql)).set("id", id);
    }

    private static boolean any(ColdStatement statement) throws SQLException {
        return statement.first(row -> true).isPresent();
    }
}
