package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.job.ClaimedJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves the first ready jobs of a queue, from a cursor on, to running. */
public final class ClaimReadyJobs {

    // The sub-select makes LIMIT exact: as a join, SKIP LOCKED could lock more rows than it returns. Deleting by ctid
    // is safe because those rows are locked by this statement. A node that was declared dead can claim nothing more.
    // In a queue with a limit of its own all jobs are claimed as if they had keys.
    private static final String CLAIMED = """
            claimed AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.ready
                        WHERE queue = ? AND job_key IS NULL AND (rank, ready_at, id) > (%s) AND rank <= ?
                          AND (SELECT %s FROM rowlock.node WHERE id = ?)
                          AND NOT coalesce((SELECT of_queue FROM rowlock.queue_limit WHERE queue = ?), false)%s
                        ORDER BY queue, rank, ready_at, id
                        LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING *
            )
            """;

    // A time travels as the seconds of its epoch: making a text of it takes the driver a fifth of its time for a claim
    // while the JVM still interprets.
    private static final String POSITION = "?, to_timestamp(?), ?";

    // Large payloads lie aside, and a job without one does not look there. The largest stay behind until their job
    // starts, so that a batch of them does not fill the node's memory: there they lie uncompressed. Those in a job's
    // own row are small, unless somebody has put one there by hand.
    // A timeout counts from the handler's start, which nobody writes down: the deadline leaves time for the longest
    // wait.
    // Numbers that are mostly zero travel as nulls, which cost the client no memory.
    private static final String MOVED_WITH = """
            INSERT INTO rowlock.running (token, node_id, ready_at, claimed_at, deadline, %s)
            SELECT nextval('rowlock.claim_token'), ?, ready_at, statement_timestamp(),
                   statement_timestamp() + (coalesce(timeout_millis, (? /* timeouts */::jsonb ->> type)::bigint) + ? /* start_millis */) * interval '1 ms',
                   %s
              FROM claimed
            RETURNING id, token, date_part('epoch', ready_at), nullif(rank, 0), nullif(attempt - 1, 0), nullif(crashes, 0), type,
                      CASE WHEN enqueued_at <> ready_at THEN date_part('epoch', enqueued_at) END, max_retries, timeout_millis, deadline,
                      CASE WHEN payload IS NULL
                           THEN (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = running.id AND p.bytes <= ?)
                           WHEN pg_column_size(payload) <= 16384 THEN payload END,
                      headers
            """;

    private static final String MOVED = moved();

    private static final String NOW = "date_part('epoch', statement_timestamp())";

    private static final String ALL = "";

    private static final String WITHOUT = " AND id <> ALL (?::bigint[]) AND type <> ALL (?::text[])";

    private static final String FEW_PREFIX = IndexPlan.prefixAnd("true, " + NOW + ", " + TimeLimit.SENDING);

    private static String moved() {
        String columns = Room.JOB.replace("job_key, ", "");
        return MOVED_WITH.formatted(columns, columns.replace("attempt", "attempt + 1"));
    }

    private static String few(String which) {
        return "WITH " + CLAIMED.formatted(POSITION, "true", which) + MOVED;
    }

    // By the primary key: whoever claims some jobs by name does not look for them in the queue.
    private static final String NAMED = FEW_PREFIX + """
            WITH claimed AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.ready
                        WHERE id = ANY (?::bigint[]) AND queue = ? AND job_key IS NULL AND (SELECT true FROM rowlock.node WHERE id = ?)
                         AND NOT coalesce((SELECT of_queue FROM rowlock.queue_limit WHERE queue = ?), false)
                        ORDER BY id
                        LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING *
            )
            """ + MOVED;

    private static final String NAMES = IndexPlan.PREFIX + """
            SELECT id FROM rowlock.ready
             WHERE queue = ? AND job_key IS NULL AND (rank, ready_at, id) > (?, to_timestamp(?), ?) AND rank <= ? AND id <> ALL (?::bigint[]) AND type <> ALL (?::text[])
             ORDER BY queue, rank, ready_at, id
             LIMIT ?
            """;

    // Of those who want many jobs only a few may claim at the same time, the others come back later: each would have to
    // pass over all rows that the others hold, and two keep the server busy: one claims while the other's commit is
    // flushed (50 nodes on two cores, per job: 17.4 µs with one, 17.9 with two, 19.1 with three, 29 with four).
    private static final String IN_TURN = """
            set_config('rowlock_claim.in_turn', (EXISTS (
                SELECT FROM generate_series(1, ? /* turns */) AS turn (number)
                 WHERE pg_try_advisory_xact_lock(hashtextextended(?, number))))::text, true)""";

    // Not behind this node's own last job, but where any node's last claim ended. Within the same rank only: a node
    // does not look for more urgent jobs that it hears of as long as they lie ahead of itself.
    private static final String START = """
            start AS MATERIALIZED (
                SELECT own.rank, coalesce(further.ready_at, own.ready_at) AS ready_at, coalesce(further.id, own.id) AS id
                  FROM (SELECT ?::smallint, to_timestamp(?), ?::bigint) AS own (rank, ready_at, id)
                  LEFT JOIN LATERAL (
                       SELECT r.ready_at, r.id FROM rowlock.reached r
                        WHERE r.queue = ? AND r.rank = own.rank AND r.reached_at > statement_timestamp() - interval '1 s'
                          AND r.reached_at < statement_timestamp() + interval '1 s' -- from before the clock was set back
                          AND (r.ready_at, r.id) > (own.ready_at, own.id)
                        ORDER BY r.queue DESC, r.rank DESC, r.reached_at DESC
                        LIMIT 1) AS further ON true
            ), """;

    private static final String REACHED = """
            , reached AS (
                INSERT INTO rowlock.reached (queue, rank, reached_at, ready_at, id)
                SELECT queue, rank, clock_timestamp(), ready_at, id FROM claimed
                 WHERE queue = ?
                 ORDER BY rank DESC, ready_at DESC, id DESC
                 LIMIT 1
            )
            """;

    private static final String MANY_PREFIX = IndexPlan.prefixAnd(IN_TURN + ", " + NOW + ", " + TimeLimit.SENDING);

    private static String many(String which) {
        return "WITH " + START
                + CLAIMED.formatted(
                        "(SELECT rank FROM start), (SELECT ready_at FROM start), (SELECT id FROM start)",
                        "current_setting('rowlock_claim.in_turn')::boolean",
                        which)
                + REACHED + MOVED;
    }

    /** So many may claim many jobs of one queue at the same time. */
    private static final int TURNS = 2;

    /** Larger payloads than this never come along with a claim: one thread would bring what many can load. */
    public static final int LARGEST_PAYLOAD = 65_536;

    /** Claims of so many jobs, or fewer, need not wait for their turn. */
    public static final int FEW = 99;

    /**
     * What one claim brought.
     *
     * @param jobs in the order in which they should run
     * @param last the key of the last of them; null if there are none
     * @param at by the database's clock; null if it was not in turn
     * @param took how long the statement took, without the wait for a connection
     * @param inTurn false: others are claiming many jobs of this queue, and nothing was looked at; try again in a moment
     */
    public record Batch(
            List<ClaimedJob> jobs,
            @Nullable QueuePosition last,
            @Nullable Instant at,
            Duration took,
            boolean inTurn) {

        private static final Batch NOT_IN_TURN = new Batch(List.of(), null, null, Duration.ZERO, false);
    }

    private final Database database;
    private final Duration longestWait;
    private final UnansweredClaims unanswered = new UnansweredClaims();

    /** Claims the first ready jobs from the cursor on: few of them, or many, in turn with others; or without some ids and paused types. */
    private final Texts texts;

    /** The statements. */
    private record Texts(String ofFew, String ofMany, String ofFewWithout, String ofManyWithout) {

        static Texts of(Schema schema) {
            return new Texts(
                    schema.sql(FEW_PREFIX + few(ALL)),
                    schema.sql(MANY_PREFIX + many(ALL)),
                    schema.sql(FEW_PREFIX + few(WITHOUT)),
                    schema.sql(MANY_PREFIX + many(WITHOUT)));
        }

        String of(boolean many, boolean without) {
            if (without) {
                return many ? ofManyWithout : ofFewWithout;
            }
            return many ? ofMany : ofFew;
        }
    }

    /** For jobs that are begun at once. */
    public ClaimReadyJobs(Database database) {
        this(database, Duration.ZERO);
    }

    /** @param longestWait a handler that has not begun so long after the claim does not begin: added to each timeout */
    public ClaimReadyJobs(Database database, Duration longestWait) {
        this.database = database;
        this.longestWait = longestWait;
        this.texts = Texts.of(database.schema());
    }

    /** The claims that are under way. */
    public UnansweredClaims unanswered() {
        return unanswered;
    }

    /**
     * Claims up to {@code limit} jobs that stand within the range, and brings along all payloads that ever come with a claim.
     *
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public Batch run(String queue, QueueRange range, int limit, long nodeId, @Nullable String timeouts) {
        return run(queue, range, limit, LARGEST_PAYLOAD, nodeId, timeouts);
    }

    /**
     * Claims up to {@code limit} jobs that stand within the range.
     *
     * @param largest a large payload of more bytes than this stays behind until its job starts
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public Batch run(String queue, QueueRange range, int limit, int largest, long nodeId, @Nullable String timeouts) {
        return database.atOnce(connection -> run(connection, queue, range, limit, largest, nodeId, timeouts));
    }

    private Batch run(
            Connection connection,
            String queue,
            QueueRange range,
            int limit,
            int largest,
            long nodeId,
            @Nullable String timeouts)
            throws SQLException {
        database.numbering().check(connection);
        long begun = System.nanoTime();
        boolean many = limit > FEW;
        try (PreparedStatement statement = IndexPlan.prepare(connection, texts.of(many, !range.complete()))) {
            Parameters parameters = new Parameters(statement);
            String together = range.orFurther() ? queue : null;
            if (many) {
                parameters
                        .add(TURNS)
                        .add(turn(queue))
                        .add(range.after())
                        .add(together)
                        .add(queue);
            } else {
                parameters.add(queue).add(range.after());
            }
            parameters.add(range.maxRank()).add(nodeId).add(queue);
            if (!range.complete()) {
                parameters.add(range.without()).addTexts(range.withoutTypes());
            }
            parameters.add(limit);
            if (many) {
                parameters.add(together);
            }
            parameters.add(nodeId).add(timeouts).add(longestWait.toMillis()).add(largest);
            return read(statement, queue, limit, begun);
        }
    }

    private Batch read(PreparedStatement statement, String queue, int limit, long begun) throws SQLException {
        unanswered.begin(statement);
        try {
            double claimedAt;
            try (ResultSet prefix = IndexPlan.executePrefix(statement)) {
                if (!prefix.getBoolean(1)) {
                    return Batch.NOT_IN_TURN;
                }
                claimedAt = prefix.getDouble(2);
            }
            try (ResultSet rows = IndexPlan.rows(statement)) {
                return new ClaimedRows(queue, claimedAt, false, false).read(rows, limit, begun);
            }
        } finally {
            unanswered.end(statement);
        }
    }

    /** Claims those of these jobs that are ready in this queue. Slower for each than {@link #run}. */
    public Batch named(String queue, List<Long> ids, int largest, long nodeId, @Nullable String timeouts) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, database.sql(NAMED))) {
                new Parameters(statement)
                        .add(ids)
                        .add(queue)
                        .add(nodeId)
                        .add(queue)
                        .add(ids.size())
                        .add(nodeId)
                        .add(timeouts)
                        .add(longestWait.toMillis())
                        .add(largest);
                return read(statement, queue, ids.size(), begun);
            }
        });
    }

    /** The ids of the jobs that {@link #run} would claim now, in their order, if nobody had locked any. */
    public List<Long> names(String queue, QueueRange range, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, database.sql(NAMES))) {
                new Parameters(statement)
                        .add(queue)
                        .add(range.after())
                        .add(range.maxRank())
                        .add(range.without())
                        .addTexts(range.withoutTypes())
                        .add(limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }

    /** Advisory locks are the database's: the schema tells ours from those of another Rowlock. */
    private String turn(String queue) {
        return "rowlock claim " + database.schema().name() + ' ' + queue;
    }
}
