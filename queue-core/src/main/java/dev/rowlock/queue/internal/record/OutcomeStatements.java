package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves claimed jobs to where their outcomes say. Each statement finds only jobs whose claims are still held, and answers which. A job that does not
 * end well, and that somebody asked to cancel, ends as cancelled. Thread-safe.
 */
public final class OutcomeStatements {

    private static final Logger log = LoggerFactory.getLogger(OutcomeStatements.class);

    // Almost always all claims are found to be held: then their tokens need not travel.
    private static final String HELD =
            "SELECT count(*), CASE WHEN count(*) < (SELECT count(*) FROM outcome) THEN array_agg(token) END FROM ";

    /** Moves claimed jobs from running to done as completed or cancelled, if the token still holds, and counts them. */
    private static final String KEPT = Move.claimed("cancelled boolean, result text", "r.*, o.cancelled, o.result")
            .to(Room.DONE, "state = CASE WHEN cancelled THEN 'cancelled' ELSE 'completed' END", "result = result::json")
            .returning("token")
            .answering(HELD + "into_done");

    /** Deletes claimed jobs that end and are not kept, if the token still holds, and counts them. */
    private static final String GONE = Move.claimed("", "r.token").answering(HELD + "moved");

    private static final String WITHIN = IndexPlan.OUTCOMES_WITHIN + "%s;\n" + IndexPlan.RESTORED;

    private static final String ONE = "SELECT rowlock.complete_v1(?, ?, ?::json, ?)";

    private static final String WITH_ERROR =
            "rowlock.with_error(r.errors, r.attempt, r.node_id, o.error::jsonb || jsonb_build_object('claimedAt', r.claimed_at))";

    // A wait that grows with the job's age, between delay_millis and by_age_up_to, doubles each time by itself.
    private static final String DEFER = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed(
                            "delay_millis bigint, due_at timestamptz, by_age_up_to bigint, reason text, error text",
                            """
                            r.*, o.reason,
                            CASE WHEN o.error IS NULL THEN r.attempt - 1 ELSE r.attempt END AS attempts_made,
                            CASE WHEN o.error IS NULL THEN r.errors ELSE %s END AS history,
                            coalesce(o.due_at, statement_timestamp() + greatest(o.delay_millis * interval '1 ms',
                                CASE WHEN o.by_age_up_to IS NOT NULL -- least() alone would skip the null and wait for the job's age
                                     THEN least(statement_timestamp() - r.enqueued_at, o.by_age_up_to * interval '1 ms') END)) AS due_at\
                            """.formatted(WITH_ERROR))
                    .with("errors = history")
                    .to(Room.DONE, "state = 'cancelled'")
                    .when("cancel_requested")
                    .orTo(Room.WAITING, "due_at = due_at", "reason = reason", "attempt = attempts_made")
                    .answering("SELECT token, cancel_requested, rank FROM moved");

    private static final String BURY = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed("error text", "r.*, ?::boolean AS may_cancel, " + WITH_ERROR + " AS history")
                    .with("errors = history")
                    .to(Room.DONE, "state = 'cancelled'")
                    .when("cancel_requested AND may_cancel")
                    .orTo(Room.DEAD, "state = 'dead'")
                    .answering("SELECT token, cancel_requested AND may_cancel, NULL::int FROM moved");

    private static final String RELEASE = IndexPlan.OUTCOMES_PREFIX
            + Move.claimed("", "r.*")
                    .to(Room.DONE, "state = 'cancelled'")
                    .when("cancel_requested")
                    .orTo(Room.READY, "attempt = attempt - 1")
                    .answering("SELECT token, cancel_requested, rank FROM moved");

    // Nothing that compresses: also room for a result of that length is what is asked for.
    private static final String PROBE = IndexPlan.OUTCOMES_PREFIX + """
            INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, result)
            SELECT 0, statement_timestamp(), statement_timestamp(), 0, 1, 0, 'completed', 'rowlock', 'rowlock.probe', '{}',
                   (SELECT to_json(string_agg(md5(random()::text), '')) FROM generate_series(1, (? + 31) / 32))
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

    // A job that rescue took and cancelled has the same token there, but one crash more than its claim had.
    private static final String ENDED = """
            SELECT d.token, d.state
              FROM rowlock.done_jobs(:jobs) AS d, unnest(:tokens::bigint[], :crashes::smallint[]) AS o (token, crashes)
             WHERE d.token = o.token AND d.crashes = o.crashes
            """;

    /**
     * One job that ended.
     *
     * @param state completed or cancelled
     * @param result JSON; null for none
     */
    public record Finished(
            Claim claim, JobState state, @Nullable String result) {}

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

    /** One job whose last attempt failed; {@code error} is a JSON object. */
    public record Buried(Claim claim, String error) {}

    /**
     * What became of claimed jobs that did not end well, by token.
     *
     * @param held their claims were held; the others' were lost
     * @param cancelled of those held, they ended as cancelled instead, because somebody had asked for that
     * @param ranks of those that will run again
     */
    public record Moved(Set<Long> held, Set<Long> cancelled, Map<Long, Integer> ranks) {}

    private final Database database;
    private final boolean keepsDone;
    private final EnsureDonePartitions partitions;
    /** Ends claimed jobs as completed or cancelled, and answers the tokens that still held, unless all did. */
    private final String kept;

    /** Ends claimed jobs that are not kept: deletes them. */
    private final String gone;

    /** Ends claimed jobs inside the caller's transaction: those of a transactional chunk. */
    private final String keptWithin;

    /** Ends claimed jobs that are not kept inside the caller's transaction. */
    private final String goneWithin;

    /** Completes one job inside the caller's transaction. */
    private final String one;

    /** Moves claimed jobs to waiting: to be tried again, snoozed, or of a type that the node does not know. */
    private final String defer;

    /** Ends claimed jobs as dead; those that were to be cancelled as cancelled, unless done cannot take them. */
    private final String bury;

    /** Gives claimed jobs back to ready, to their places. */
    private final String release;

    /** Writes a job with id 0 to done, in a transaction that is rolled back: whether outcomes can be written. */
    private final String probe;

    /** @param keepsDone whether all jobs that end are kept in done */
    public OutcomeStatements(Database database, boolean keepsDone) {
        this.database = database;
        this.keepsDone = keepsDone;
        this.partitions = new EnsureDonePartitions(database);
        this.kept = database.sql(IndexPlan.OUTCOMES_PREFIX + KEPT);
        this.gone = database.sql(IndexPlan.OUTCOMES_PREFIX + GONE);
        this.keptWithin = database.sql(WITHIN.formatted(KEPT));
        this.goneWithin = database.sql(WITHIN.formatted(GONE));
        this.one = database.sql(ONE);
        this.defer = database.sql(DEFER);
        this.bury = database.sql(BURY);
        this.release = database.sql(RELEASE);
        this.probe = database.sql(PROBE);
    }

    /**
     * Whether a job goes to done that ends with this result; others are deleted. Without retention most are. But jobs with a result go to done,
     * because somebody may ask for it, and those of workflows, because later steps depend on what done says of them.
     */
    public boolean keeps(ClaimedJob job, @Nullable String result) {
        return keepsDone || result != null || Headers.inWorkflow(job.headers());
    }

    /** Ends jobs as completed or cancelled. Returns the tokens that were still held; the others' claims were lost. */
    public Set<Long> finish(List<Finished> jobs, boolean keep) {
        long[] tokens = Columns.longs(jobs, job -> job.claim().token());
        return atOnce(keep ? kept : gone, rows -> Columns.tokens(rows, tokens), parameters(jobs, tokens, keep));
    }

    /** The same inside the caller's transaction, whose plan settings it leaves as they are. Unless all are held, the transaction must roll back. */
    public Set<Long> finishInTransaction(List<Finished> jobs, boolean keep) {
        long[] tokens = Columns.longs(jobs, job -> job.claim().token());
        return database.joined(database.numbered(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, keep ? keptWithin : goneWithin)) {
                IndexPlan.set(statement, parameters(jobs, tokens, keep));
                try (ResultSet rows = IndexPlan.queryWithin(statement)) {
                    return Columns.tokens(rows, tokens);
                }
            }
        }));
    }

    private static @Nullable Object[] parameters(List<Finished> jobs, long[] tokens, boolean keep) {
        long[] ids = Columns.longs(jobs, job -> job.claim().jobId());
        return keep
                ? new Object[] {
                    ids,
                    tokens,
                    Columns.flags(jobs, job -> job.state() == JobState.CANCELLED),
                    Columns.texts(jobs, Finished::result)
                }
                : new Object[] {ids, tokens};
    }

    /** Completes one job inside the caller's transaction. Returns whether the claim was still held. If not, the transaction must roll back. */
    public boolean finishInTransaction(Claim claim, @Nullable String result, boolean keep) {
        return database.joined(database.numbered(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(one)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                statement.setString(3, result);
                statement.setBoolean(4, keep);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getBoolean(1);
                }
            }
        }));
    }

    /** Moves jobs to waiting: those that will be tried again, snoozed ones, and those whose type this node does not know. */
    public Moved defer(List<Deferred> jobs) {
        return atOnce(
                defer,
                OutcomeStatements::moved,
                Columns.longs(jobs, job -> job.claim().jobId()),
                Columns.longs(jobs, job -> job.claim().token()),
                Columns.millis(jobs, job -> job.due().after()),
                Columns.instants(jobs, job -> job.due().at()),
                Columns.millis(jobs, Deferred::byAgeUpTo),
                Columns.texts(jobs, Deferred::reason),
                Columns.texts(jobs, Deferred::error));
    }

    /** Moves jobs whose last attempt failed to dead. None of them will run again. */
    public Moved bury(List<Buried> jobs) {
        return bury(jobs, true);
    }

    /** The same, also with those that were to be cancelled: where done takes them not. */
    public Moved buryAll(List<Buried> jobs) {
        return bury(jobs, false);
    }

    private Moved bury(List<Buried> jobs, boolean mayCancel) {
        return atOnce(
                bury,
                OutcomeStatements::moved,
                Columns.longs(jobs, job -> job.claim().jobId()),
                Columns.longs(jobs, job -> job.claim().token()),
                Columns.texts(jobs, Buried::error),
                mayCancel);
    }

    /** Gives jobs back to ready, to the places in the queue that they had. The attempt does not count. */
    public Moved release(List<Claim> claims) {
        return atOnce(
                release,
                OutcomeStatements::moved,
                Columns.longs(claims, Claim::jobId),
                Columns.longs(claims, Claim::token));
    }

    /**
     * Whether an ordinary outcome with a result of so many characters can be written now; 0: one without a result. Writes a row of done and rolls
     * it back.
     */
    public boolean writable(int resultLength) {
        try {
            return partitions.around(() -> database.atomically(connection -> {
                try (PreparedStatement statement = IndexPlan.prepare(connection, probe)) {
                    statement.setInt(1, resultLength);
                    statement.execute();
                    connection.rollback();
                    return true;
                }
            }));
        } catch (RuntimeException e) {
            log.debug("an outcome with a result of {} characters could not be written", resultLength, e);
            return false;
        }
    }

    /** Tells claims whose rows somebody else has locked from those that are free or gone: the tokens of those that are locked. Waits for nobody. */
    public Set<Long> locked(List<Claim> claims) {
        return database.alone(connection -> new HashSet<>(ColdStatement.on(connection, database.sql(LOCKED))
                .set("jobs", Columns.longs(claims, Claim::jobId))
                .set("tokens", Columns.longs(claims, Claim::token))
                .list(row -> row.getLong(1))));
    }

    /**
     * Tells which claims ended in done by an outcome of their own, for whoever did not get the answer when they did: completed or cancelled by token;
     * nothing for other jobs, nor where done jobs are not kept.
     */
    Map<Long, JobState> ended(List<ClaimedJob> jobs) {
        return database.alone(connection -> {
            Map<Long, JobState> states = new HashMap<>();
            ColdStatement.on(connection, database.sql(ENDED))
                    .set("jobs", Columns.longs(jobs, ClaimedJob::id))
                    .set("tokens", Columns.longs(jobs, job -> job.claim().token()))
                    .set("crashes", Columns.shorts(jobs, ClaimedJob::crashes))
                    .list(row -> states.put(row.getLong(1), JobState.of(row.getString(2))));
            return states;
        });
    }

    private <T> T atOnce(String sql, Row<T> answer, @Nullable Object... parameters) {
        return partitions.around(() -> database.atOnce(database.numbered(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                IndexPlan.set(statement, parameters);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return answer.read(rows);
                }
            }
        })));
    }

    /** Reads rows of token, whether cancelled, rank. */
    private static Moved moved(ResultSet rows) throws SQLException {
        Set<Long> held = new HashSet<>();
        Set<Long> cancelled = new HashSet<>();
        Map<Long, Integer> ranks = new HashMap<>();
        while (rows.next()) {
            long token = rows.getLong(1);
            Integer rank = Columns.integer(rows, 3);
            held.add(token);
            if (rows.getBoolean(2)) {
                cancelled.add(token);
            } else if (rank != null) {
                ranks.put(token, rank);
            }
        }
        return new Moved(held, cancelled, ranks);
    }
}
