package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.job.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Statements about policies of applications. In a queue that has one, jobs come to ready as everywhere, from whatever statement. {@link #hold} moves
 * them to waiting, {@link #admit} moves those back that the policy has chosen, with a mark. What a claim takes without a mark goes to waiting, too,
 * by {@link #holdClaimed}: a job may become ready in the moment before the claim.
 *
 * <p>Most of them have pinned plans that are made each time, for the tables as they are: a plan from the time when they were empty joins each row to
 * all others.
 */
public final class PolicyStatements {

    /** After an answer, jobs wait for so long for the next one before they go on without it. */
    public static final Duration HOLD = Duration.ofSeconds(10);

    /** So many jobs are a page. */
    public static final int PAGE = 1_000;

    /** How long a job is held at most, also where nobody knows of policies any more. */
    private static final String LONGEST = "interval '1 h'";

    /**
     * Whether the policy {@code p} decides now. Not where a clock was set back, nor where keys are in order: a job that has begun holds up the others
     * of its key from where claims look for it.
     */
    private static final String DECIDES = """
            (p.decides_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 min'
             AND NOT EXISTS (SELECT FROM rowlock.queue_limit l WHERE l.queue = p.queue AND l.in_order IS NOT NULL))""";

    /** Makes jobs of a queue wait for the first answer of its policy, for so long at most. */
    private static final String EXPECT = """
            INSERT INTO rowlock.policy AS p (queue, decides_until, asked_at)
            SELECT :queue, now + :time_millis * interval '1 ms', now FROM clock_timestamp() AS now
            ON CONFLICT (queue) DO UPDATE
               SET decides_until = excluded.decides_until, asked_at = excluded.asked_at
             WHERE p.decides_until NOT BETWEEN excluded.asked_at AND excluded.asked_at + interval '1 min'
            """;

    /**
     * Makes this node the one that asks the policy of a queue, unless another one does. Whoever asks it now says so every few seconds, unless it
     * gets no answers. Then others try, shortly before jobs go on without the policy.
     */
    private static final String TAKE = """
            INSERT INTO rowlock.policy AS p (queue, node_id, decides_until, asked_at)
            SELECT :queue, :node_id, now, now FROM clock_timestamp() AS now
            ON CONFLICT (queue) DO UPDATE
               SET node_id = excluded.node_id,
                   -- One that has passed stays: people want to know since when there is no answer.
                   decides_until = CASE WHEN p.decides_until <= excluded.asked_at + interval '1 min'
                                        THEN p.decides_until ELSE excluded.decides_until END,
                   asked_at = excluded.asked_at
             WHERE p.node_id IS NULL OR p.node_id = excluded.node_id
                OR p.decides_until NOT BETWEEN excluded.asked_at + :left_millis * interval '1 ms' AND excluded.asked_at + interval '1 min'
                OR NOT EXISTS (SELECT FROM rowlock.node n WHERE n.id = p.node_id)
            RETURNING queue
            """;

    private static final String STANDINGS = """
            SELECT p.queue, CASE WHEN %s THEN extract(epoch FROM p.decides_until - clock_timestamp()) * 1000 ELSE 0 END
              FROM rowlock.policy p
             ORDER BY p.queue
            """.formatted(DECIDES);

    // Marks that are left are those of jobs that were claimed once it did not decide any more.
    private static final String FORGET = """
            WITH gone AS (
                DELETE FROM rowlock.policy p
                 WHERE p.asked_at NOT BETWEEN clock_timestamp() - interval '1 min' AND clock_timestamp() + interval '1 min'
                   AND NOT %s
                   AND NOT EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue)
                RETURNING p.queue
            ), marks AS (
                DELETE FROM rowlock.admitted_job WHERE queue = ANY (ARRAY(SELECT queue FROM gone))
            )
            SELECT queue FROM gone
            """.formatted(DECIDES);

    /** A common table expression with one row if the policy of a queue, a parameter, decides now. */
    private static final String LIVE = """
            WITH live AS MATERIALIZED (
                SELECT true AS it FROM rowlock.policy p WHERE p.queue = %s AND %s
            )""";

    // One look by primary key for each job: without the offset the planner may join all jobs with all marks.
    private static final String UNMARKED =
            "NOT EXISTS (SELECT FROM rowlock.admitted_job a WHERE a.queue = r.queue AND a.job_id = r.id OFFSET 0)";

    private static final String HOLD_READY = IndexPlan.PREFIX
            + held(
                    Move.from(Room.READY, "taken", LIVE.formatted(":queue", DECIDES) + """
            , taken AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.ready r
                        WHERE r.queue = :queue AND r.job_key IS NULL AND (SELECT it FROM live)
                          AND %1$s
                        ORDER BY r.queue, r.rank, r.ready_at, r.id
                        LIMIT :limit
                          FOR UPDATE OF r SKIP LOCKED)
                    || ARRAY(
                       SELECT r.ctid FROM rowlock.ready r
                        WHERE r.queue = :queue AND r.job_key IS NOT NULL AND (SELECT it FROM live)
                          AND %1$s
                        ORDER BY r.queue, r.job_key, r.rank, r.id
                        LIMIT :limit
                          FOR UPDATE OF r SKIP LOCKED))
                RETURNING *
            )""".formatted(UNMARKED)),
                    "SELECT count(*) FROM taken");

    private static final String HOLD_CLAIMED = IndexPlan.OUTCOMES_PREFIX
            + held(
                    Move.from(Room.RUNNING, "taken", LIVE.formatted("?", DECIDES) + """
            , given AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS g (id, token)
            ), admitted AS (
                -- Joined by hash: an array would be read through for each mark of the queue.
                DELETE FROM rowlock.admitted_job a USING given g WHERE a.queue = ? AND a.job_id = g.id RETURNING a.job_id
            ), taken AS (
                DELETE FROM rowlock.running r
                 USING given g
                 WHERE r.id = ANY (ARRAY(SELECT id FROM given EXCEPT SELECT job_id FROM admitted))
                   AND g.id = r.id AND g.token = r.token
                   AND (SELECT it FROM live) AND NOT r.cancel_requested
                RETURNING r.*
            )""")
                            .with("attempt = attempt - 1"),
                    "SELECT token FROM taken");

    /** Reads how a policy stands: whether this node asks it, for how long it decides, and how many jobs it has chosen. */
    private static final String FIGURES = IndexPlan.PREFIX + """
            SELECT p.node_id = :node_id,
                   CASE WHEN %s THEN extract(epoch FROM p.decides_until - clock_timestamp()) * 1000 ELSE 0 END,
                   EXISTS (SELECT FROM rowlock.queue_limit l WHERE l.queue = p.queue AND l.in_order IS NOT NULL),
                   (SELECT count(*) FROM rowlock.admitted_job a WHERE a.queue = p.queue),
                   EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue)
              FROM rowlock.policy p WHERE p.queue = :queue
            """.formatted(DECIDES);

    /** Reads a page of the waiting jobs among which a policy may choose. Jobs of paused types would only take the room of others. */
    private static final String HELD_JOBS = IndexPlan.PREFIX + """
            SELECT h.job_id, w.type, w.job_key, h.rank, w.attempt, h.ready_at, w.enqueued_at, w.headers, h.due_at
              FROM rowlock.held_job h
              LEFT JOIN rowlock.waiting w ON w.id = h.job_id AND w.due_at = h.due_at AND w.reason = 'policy'
             WHERE h.queue = :queue AND (h.rank, h.ready_at, h.job_id) > (:rank, :ready_at, :id)
               AND (w.id IS NULL OR w.type <> ALL (ARRAY(SELECT name FROM rowlock.pause WHERE kind = 'type')))
             ORDER BY h.queue, h.rank, h.ready_at, h.job_id
             LIMIT :limit
            """;

    /** Counts the running jobs of a queue, for its policy. */
    private static final String RUNNING =
            "SELECT (SELECT count(*) FROM rowlock.running r WHERE r.queue = :queue), clock_timestamp()";

    /**
     * Removes notes that a job is held, where somebody has cancelled it, let it run or changed its due time. Somebody has cancelled the job, or
     * has let it run, or has given it another due time. If it was held anew meanwhile, it has another note.
     */
    private static final String REMOVE_NOTES = IndexPlan.PREFIX + """
            WITH gone AS (
                DELETE FROM rowlock.held_job h
                 USING unnest(:jobs::bigint[], :due_at::timestamptz[]) AS s (job_id, due_at)
                 WHERE h.job_id = s.job_id AND h.due_at = s.due_at
                   AND NOT EXISTS (SELECT FROM rowlock.waiting w WHERE w.id = h.job_id AND w.due_at = h.due_at AND w.reason = 'policy')
                RETURNING 1
            )
            SELECT count(*) FROM gone
            """;

    // Another node may have taken over meanwhile: then nothing changes. Jobs that somebody has moved since are left
    // out. Among equal priorities those chosen first run first.
    private static final String ADMIT = IndexPlan.PREFIX
            + Move.from(Room.WAITING, "freed", """
            WITH own AS (
                UPDATE rowlock.policy
                   SET decides_until = clock_timestamp() + :hold_millis * interval '1 ms', asked_at = clock_timestamp()
                 WHERE queue = :queue AND node_id = :node_id
                RETURNING true AS it
            ), freed AS (
                DELETE FROM rowlock.waiting
                 WHERE ctid = ANY (ARRAY(
                       SELECT w.ctid FROM rowlock.waiting w
                         JOIN rowlock.held_job h ON h.job_id = w.id AND h.due_at = w.due_at
                        WHERE w.id = ANY (:jobs::bigint[]) AND w.reason = 'policy' AND w.queue = :queue AND (SELECT it FROM own)
                          FOR UPDATE OF w SKIP LOCKED))
                RETURNING *
            ), unheld AS (
                DELETE FROM rowlock.held_job WHERE job_id = ANY (ARRAY(SELECT id FROM freed))
            ), marked AS (
                INSERT INTO rowlock.admitted_job (queue, job_id, admitted_at)
                SELECT queue, id, clock_timestamp() FROM freed
                ON CONFLICT (queue, job_id) DO UPDATE SET admitted_at = excluded.admitted_at
            )""")
                    .to(
                            Room.READY,
                            "ready_at = statement_timestamp() + array_position(:jobs::bigint[], id) * interval '1 us'")
                    .returning("rank, job_key")
                    .answering("SELECT EXISTS (SELECT FROM own), count(*), min(rank), " + ReadyJobs.KEYS
                            + " FROM into_ready");

    // The jobs are held anew, behind the others: something else keeps them from running.
    private static final String TAKE_BACK = IndexPlan.PREFIX + """
            WITH back AS (
                DELETE FROM rowlock.admitted_job
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.admitted_job
                        WHERE queue = :queue
                          AND admitted_at NOT BETWEEN clock_timestamp() - :unclaimed_millis * interval '1 ms' AND clock_timestamp()
                        LIMIT :limit
                          FOR UPDATE SKIP LOCKED))
                RETURNING 1
            )
            SELECT count(*) FROM back
            """;

    private static final String OTHERS = "h.job_id <> ALL (:ids::bigint[])";

    private static final String LET_GO = letGo(OTHERS);

    /** Moves given jobs of a queue whose policy does not decide from waiting back to the places in ready that they had. */
    private static final String LET_NAMED_GO = letGo("h.job_id = ANY (:ids::bigint[])");

    private static final String NAMES = IndexPlan.PREFIX + """
            SELECT h.job_id FROM rowlock.held_job h
             WHERE h.queue = :queue AND %s
             ORDER BY h.queue, h.rank, h.ready_at, h.job_id
             LIMIT :limit
            """.formatted(OTHERS);

    /** Holds the rows of {@code taken}, which come from ready or running. */
    private static String held(Move taken, String answer) {
        return taken.to(Room.WAITING, "due_at = statement_timestamp() + " + LONGEST, "reason = 'policy'")
                .answering("""
                        , noted AS (
                            INSERT INTO rowlock.held_job (job_id, due_at, ready_at, rank, queue)
                            SELECT id, statement_timestamp() + %s, ready_at, rank, queue FROM taken
                            -- From an earlier time in waiting.
                            ON CONFLICT (job_id) DO UPDATE
                               SET due_at = excluded.due_at, ready_at = excluded.ready_at, rank = excluded.rank, queue = excluded.queue
                        )
                        """.formatted(LONGEST) + answer);
    }

    // A row that somebody has locked keeps its note, and comes with the next call.
    private static String letGo(String which) {
        return IndexPlan.PREFIX
                + Move.from(Room.WAITING, "freed", """
                WITH next AS MATERIALIZED (
                    SELECT h.job_id, h.due_at, h.ready_at FROM rowlock.held_job h
                     WHERE h.queue = :queue AND EXISTS (SELECT FROM rowlock.policy p WHERE p.queue = :queue AND NOT %1$s)
                       AND %2$s
                     ORDER BY h.queue, h.rank, h.ready_at, h.job_id
                     LIMIT :limit
                ), freed AS (
                    DELETE FROM rowlock.waiting
                     WHERE ctid = ANY (ARRAY(
                           SELECT w.ctid FROM next n JOIN rowlock.waiting w ON w.id = n.job_id AND w.due_at = n.due_at
                            WHERE w.reason = 'policy'
                              FOR UPDATE OF w SKIP LOCKED))
                    RETURNING *
                ), unheld AS (
                    -- By what this snapshot knows of them: a job that was held anew meanwhile has another note.
                    DELETE FROM rowlock.held_job h
                     USING (SELECT id, due_at FROM freed
                            UNION ALL
                            SELECT n.job_id, n.due_at FROM next n
                             WHERE NOT EXISTS (SELECT FROM rowlock.waiting w
                                                WHERE w.id = n.job_id AND w.due_at = n.due_at AND w.reason = 'policy')) AS o
                     WHERE h.job_id = o.id AND h.due_at = o.due_at
                )""".formatted(DECIDES, which))
                        .to(Room.READY, "ready_at = (SELECT n.ready_at FROM next n WHERE n.job_id = freed.id)")
                        .returning("rank, job_key")
                        .answering("SELECT (SELECT count(*) FROM next), count(*), min(rank), " + ReadyJobs.KEYS
                                + " FROM into_ready");
    }

    /** @param left how long it decides unless it answers again; zero: it does not */
    public record Standing(String queue, Duration left) {

        public boolean decides() {
            return !left.isZero();
        }
    }

    /** Jobs behind these. */
    public record WaitingPosition(int rank, @Nullable Instant readyAt, long id) {

        /** All jobs. */
        public static final WaitingPosition FRONT = new WaitingPosition(Short.MIN_VALUE, null, 0);

        private OffsetDateTime readyAtOrFirst() {
            return readyAt == null ? OffsetDateTime.MIN : readyAt.atOffset(ZoneOffset.UTC);
        }
    }

    /**
     * @param own whether this node asks the policy
     * @param leftMillis how long the policy decides unless it answers again; 0: it does not
     * @param inOrder whether the jobs of each key run in order
     * @param admitted chosen, and not claimed yet
     * @param held whether jobs wait for the policy
     */
    public record Figures(boolean own, long leftMillis, boolean inOrder, int admitted, boolean held) {}

    /**
     * What a look at a page has found.
     *
     * @param before a place before the first of the jobs, and behind whatever stands before it; where there are none, the place of the look
     * @param next null on the last page
     */
    public record Page(
            List<WaitingJob> jobs,
            WaitingPosition before,
            @Nullable WaitingPosition next,
            int running,
            Instant now) {

        public Page without(Set<Long> ids) {
            return new Page(jobs.stream().filter(job -> !ids.contains(job.id())).toList(), before, next, running, now);
        }
    }

    /**
     * What one call did.
     *
     * @param own false: another node asks the policy now, and nothing was done
     * @param rank of the most urgent job
     * @param keys as of {@link ReadyJobs}
     */
    public record Admitted(boolean own, int jobs, int rank, List<String> keys) {

        /** The same, after another call. */
        public Admitted and(Admitted other) {
            int highest = jobs == 0 ? other.rank : other.jobs == 0 ? rank : Math.min(rank, other.rank);
            return new Admitted(
                    own && other.own,
                    jobs + other.jobs,
                    highest,
                    Stream.concat(keys.stream(), other.keys.stream()).toList());
        }
    }

    /**
     * What one call did.
     *
     * @param seen how many jobs it has looked at
     * @param jobs how many of them it has moved
     * @param rank of the most urgent one
     * @param keys as of {@link ReadyJobs}
     */
    public record Gone(int seen, int jobs, int rank, List<String> keys) {}

    /** That a job is held, and until when; the job is null if it is not held any more. */
    private record Held(
            long id,
            Instant dueAt,
            WaitingPosition place,
            @Nullable WaitingJob job) {}

    private final Database database;
    private final String holdClaimed;

    public PolicyStatements(Database database) {
        this.database = database;
        this.holdClaimed = database.sql(HOLD_CLAIMED);
    }

    /** Jobs of the queue wait for the first answer of a policy for so long, unless they wait for one already. */
    public void expect(String queue, Duration time) {
        database.alone(connection -> on(connection, EXPECT, queue)
                .set("time_millis", time.toMillis())
                .update());
    }

    /**
     * Returns whether this node asks the policy from now on.
     *
     * @param left others may take over when jobs wait for its answers for no longer than this
     */
    public boolean take(String queue, long nodeId, Duration left) {
        return database.alone(connection -> on(connection, TAKE, queue)
                        .set("node_id", nodeId)
                        .set("left_millis", left.toMillis())
                        .first(row -> true))
                .isPresent();
    }

    /** All queues that have a policy, and how long it decides. */
    public List<Standing> standings() {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(STANDINGS))
                .list(row -> new Standing(row.getString(1), Duration.ofMillis(Math.max(0, row.getLong(2))))));
    }

    /** The queues whose policies nobody has asked for a minute, and for which no job waits: forgotten now. */
    public List<String> forget() {
        return database.alone(
                connection -> ColdStatement.on(connection, database.sql(FORGET)).list(row -> row.getString(1)));
    }

    /**
     * Moves ready jobs that the policy has not chosen to waiting. Returns how many: up to {@code limit} without keys, and as many with keys. None unless
     * the policy decides.
     */
    public int hold(String queue, int limit) {
        return database.atOnce(connection ->
                on(connection, HOLD_READY, queue).set("limit", limit).only(row -> row.getInt(1)));
    }

    /**
     * Takes the marks of jobs that were claimed; those without one go to waiting instead, where the policy may choose them. Returns the tokens of
     * those claims, which are over. None unless the policy decides.
     */
    public Set<Long> holdClaimed(String queue, List<Claim> claims) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, holdClaimed)) {
                statement.setString(1, queue);
                statement.setObject(2, Columns.longs(claims, Claim::jobId));
                statement.setObject(3, Columns.longs(claims, Claim::token));
                statement.setString(4, queue);
                Set<Long> tokens = new HashSet<>();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        tokens.add(rows.getLong(1));
                    }
                }
                return tokens;
            }
        });
    }

    /** The figures; null: the queue has no policy. */
    public @Nullable Figures figures(String queue, long nodeId) {
        Row<Figures> row = found -> new Figures(
                found.getBoolean(1), found.getLong(2), found.getBoolean(3), found.getInt(4), found.getBoolean(5));
        return database.atOnce(connection ->
                        on(connection, FIGURES, queue).set("node_id", nodeId).first(row))
                .orElse(null);
    }

    /** What the policy may choose from: the page behind this place. */
    public Page page(String queue, WaitingPosition place) {
        return database.alone(connection -> {
            List<Held> found = on(connection, HELD_JOBS, queue)
                    .set("rank", place.rank())
                    .set("ready_at", place.readyAtOrFirst())
                    .set("id", place.id())
                    .set("limit", PAGE)
                    .list(PolicyStatements::held);
            List<Held> stale = new ArrayList<>();
            List<WaitingJob> jobs = new ArrayList<>();
            WaitingPosition before = place;
            for (Held each : found) {
                if (each.job() == null) {
                    stale.add(each);
                } else {
                    WaitingPosition last = each.place();
                    before = jobs.isEmpty() ? new WaitingPosition(last.rank(), last.readyAt(), last.id() - 1) : before;
                    jobs.add(each.job());
                }
            }
            WaitingPosition from = before;
            WaitingPosition next = found.size() == PAGE ? found.get(PAGE - 1).place() : null;
            if (!stale.isEmpty()) {
                ColdStatement.on(connection, database.sql(REMOVE_NOTES))
                        .set("jobs", Columns.longs(stale, Held::id))
                        .set("due_at", Columns.instants(stale, Held::dueAt))
                        .only(row -> row.getInt(1));
            }
            return on(connection, RUNNING, queue)
                    .only(row ->
                            new Page(jobs, from, next, row.getInt(1), Objects.requireNonNull(Columns.instant(row, 2))));
        });
    }

    private static Held held(ResultSet row) throws SQLException {
        WaitingPosition place = new WaitingPosition(row.getInt(4), Columns.instant(row, 6), row.getLong(1));
        Instant dueAt = Objects.requireNonNull(Columns.instant(row, 9));
        return new Held(place.id(), dueAt, place, row.getString(2) == null ? null : job(row));
    }

    private static WaitingJob job(ResultSet row) throws SQLException {
        return new Candidate(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                -row.getInt(4),
                row.getInt(5),
                Objects.requireNonNull(Columns.instant(row, 6)),
                Objects.requireNonNull(Columns.instant(row, 7)),
                Headers.decode(row.getString(8)));
    }

    /**
     * Moves the jobs that a policy has chosen to ready, in this order, and says that it still decides.
     *
     * @param hold so long the jobs of the queue wait for the next decision
     */
    public Admitted admit(String queue, long nodeId, List<Long> jobs, Duration hold) {
        return database.atOnce(connection -> on(connection, ADMIT, queue)
                .set("node_id", nodeId)
                .set("jobs", jobs.toArray(Long[]::new))
                .set("hold_millis", hold.toMillis())
                .only(row -> new Admitted(row.getBoolean(1), row.getInt(2), row.getInt(3), Columns.textList(row, 4))));
    }

    /** Takes the marks of jobs that nobody has claimed for so long. Returns of how many. */
    public int takeBack(String queue, Duration unclaimed, int limit) {
        return database.atOnce(connection -> on(connection, TAKE_BACK, queue)
                .set("unclaimed_millis", unclaimed.toMillis())
                .set("limit", limit)
                .only(row -> row.getInt(1)));
    }

    /**
     * Moves jobs of a queue whose policy does not decide from waiting back to the places in ready that they had.
     *
     * @param without these jobs stay where they are
     */
    public Gone letGo(String queue, int limit, List<Long> without) {
        return letGo(LET_GO, queue, limit, without);
    }

    /** Moves only these of them. */
    public Gone letNamedGo(String queue, List<Long> ids) {
        return letGo(LET_NAMED_GO, queue, ids.size(), ids);
    }

    private Gone letGo(String sql, String queue, int limit, List<Long> ids) {
        return database.atOnce(connection -> on(connection, sql, queue)
                .set("ids", ids.toArray(Long[]::new))
                .set("limit", limit)
                .only(row -> new Gone(row.getInt(1), row.getInt(2), row.getInt(3), Columns.textList(row, 4))));
    }

    /** The ids of the jobs that {@link #letGo} would look at now. */
    public List<Long> names(String queue, int limit, List<Long> without) {
        return database.atOnce(connection -> on(connection, NAMES, queue)
                .set("ids", without.toArray(Long[]::new))
                .set("limit", limit)
                .list(row -> row.getLong(1)));
    }

    private ColdStatement on(Connection connection, String sql, String queue) {
        return ColdStatement.on(connection, database.sql(sql)).set("queue", queue);
    }

    /** What a policy may choose. */
    record Candidate(
            long id,
            String type,
            @Nullable String key,
            int priority,
            int attempts,
            Instant readyAt,
            Instant enqueuedAt,
            Map<String, String> headers)
            implements WaitingJob {}
}
