package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.TimeLimit;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves ready jobs to running as far as the limits, rates and the order of their queue and of their keys allow: those that have keys, and in a queue
 * with a limit of its own all others too. The function {@code claim_keyed_v1} does it all, in one round trip and one transaction.
 *
 * <p>Each key that has room gets a share of a claim, by its weight, so that keys take turns.
 */
public final class ClaimKeyedJobs {

    private static final String SQL = TimeLimit.CLAIM_PREFIX
            + "SELECT * FROM rowlock.claim_keyed_v1(?, ?, ?, ?::jsonb, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    /** So many keys, before a claim has told how many it may lock: a part of those that the server has room for. */
    private static final int FIRST_KEYS = 200;

    /** A claim looks at so many, at least: some may be at their limit. */
    private static final int FEWEST = 20;

    /** So many claims of one queue at once, at most: others would find its keys locked. */
    private static final int TURNS = 4;

    /** So many of them while there is a backlog. Two keep the server busy; with four, and ten nodes, each job cost up to twice as much. */
    private static final int TURNS_OF_BACKLOG = 2;

    /**
     * Where a claim looks: from which key on, and at how many.
     *
     * @param key the keys behind this one; empty: all
     * @param rest this key comes first, and gets so many jobs: a claim before this one had no room for all of its share; 0: it has had its turn
     * @param plainFirst whether jobs without keys come first, in a queue that is limited as a whole; otherwise they come where no key
     *     has room
     * @param borrows whether keys may have as many jobs as their burst allows, not only their limit: nobody else wants the places
     * @param backlog whether there are many jobs, so that only few claims of them are made at a time
     * @param wide whether it looks at as many keys as a claim may, however few jobs are wanted: those before them had none that may run
     */
    public record Look(String key, int rest, boolean plainFirst, boolean borrows, boolean backlog, boolean wide) {

        /** All keys. */
        public static final Look FIRST = new Look("", 0, true);

        /** Within limits, over all keys. */
        public Look(String key, int rest, boolean plainFirst) {
            this(key, rest, plainFirst, false, false, false);
        }

        public Look plainFirst(boolean first) {
            return new Look(key, rest, first, borrows, backlog, wide);
        }

        public Look borrowing() {
            return new Look(key, rest, plainFirst, true, backlog, wide);
        }

        public Look ofBacklog(boolean many) {
            return new Look(key, rest, plainFirst, borrows, many, wide);
        }

        public Look widely(boolean is) {
            return new Look(key, rest, plainFirst, borrows, backlog, is);
        }
    }

    /**
     * What the caller knows of some keys of a queue, so that the server need not walk over what is gone: while some transaction holds back vacuum, a busy
     * key leaves behind an entry for each of its jobs.
     *
     * @param known the claim asks these, in this order; null: it walks from key to key
     * @param more whether there are others behind the last of them
     * @param token nothing of the queue with a lower token counts against its limits
     * @param rule the version of the rule under which the tokens were learned; under any other they say nothing
     * @param recount whether to look once more for jobs that were claimed before there was such a rule, also if it is this one
     */
    public record Keys(@Nullable List<Known> known, boolean more, long token, long rule, boolean recount) {

        /** The version where a queue is known to have no rule. */
        public static final long NO_RULE = 0;

        /** The version of whoever knows of none. */
        public static final long ANY_RULE = -1;

        /** All, of which nothing is known. */
        public static final Keys WALK = new Keys(null, false, 0, ANY_RULE, true);

        public Keys {
            known = known == null ? null : List.copyOf(known);
        }

        private List<Known> list() {
            return known == null ? List.of() : known;
        }
    }

    /**
     * One key.
     *
     * @param rank with {@code id}: a job; only those behind it are looked for, unless keys are in order
     * @param token nothing of the key with a lower token runs
     */
    public record Known(String key, int rank, long id, long token) {

        /** A key with whatever it has. */
        public static Known fromFront(String key) {
            return new Known(key, Short.MIN_VALUE, 0, 0);
        }
    }

    /**
     * Which jobs may be claimed.
     *
     * @param withoutTypes no jobs of these types
     * @param without none of these
     * @param only only these; null: all others
     */
    public record Which(
            List<String> withoutTypes,
            List<Long> without,
            @Nullable List<Long> only) {

        /** All jobs. */
        public static final Which ALL = new Which(List.of(), List.of(), null);

        public Which {
            withoutTypes = List.copyOf(withoutTypes);
            without = List.copyOf(without);
            only = only == null ? null : List.copyOf(only);
        }

        /** Only these of them. */
        public Which only(List<Long> ids) {
            return new Which(withoutTypes, List.of(), ids);
        }
    }

    private final Database database;
    private final Duration longestWait;
    private final UnansweredClaims unanswered;
    private final CancelRest cancelRest;

    /** Claims jobs with keys, and all jobs of a queue that is limited as a whole; or names the jobs that it would claim. */
    private final String sql;

    private volatile int most = FIRST_KEYS; // of the keys of a claim

    /** For claims that nobody cancels. */
    public ClaimKeyedJobs(Database database, Duration longestWait) {
        this(database, longestWait, new UnansweredClaims());
    }

    /**
     * @param longestWait a handler that has not begun so long after the claim does not begin: added to each timeout
     * @param unanswered where claims stand while they are under way
     */
    public ClaimKeyedJobs(Database database, Duration longestWait, UnansweredClaims unanswered) {
        this.database = database;
        this.longestWait = longestWait;
        this.unanswered = unanswered;
        this.cancelRest = new CancelRest(database);
        this.sql = database.sql(SQL);
    }

    /** For {@link KeyedBatch#toCancel}. */
    public CancelRest cancelRest() {
        return cancelRest;
    }

    /** How many keys a claim of so many jobs looks at. */
    public int keys(Look look, int limit) {
        return look.wide() ? most : Math.min(most, Math.max(FEWEST, limit));
    }

    /** Claims up to {@code limit} jobs, walking from key to key. */
    public KeyedBatch run(
            String queue, Look look, int limit, int largest, Which which, long nodeId, @Nullable String timeouts) {
        return run(queue, look, Keys.WALK, limit, largest, which, nodeId, timeouts);
    }

    /**
     * Claims up to {@code limit} jobs.
     *
     * @param keys which it asks
     * @param largest a large payload of more bytes than this stays behind until its job starts
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public KeyedBatch run(
            String queue,
            Look look,
            Keys keys,
            int limit,
            int largest,
            Which which,
            long nodeId,
            @Nullable String timeouts) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                set(statement, queue, look, keys, limit, largest, which, nodeId, timeouts, false);
                unanswered.begin(statement);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    KeyedBatch batch = KeyedBatch.read(rows, queue, look, limit, begun);
                    most = batch.mostKeys();
                    return batch;
                } finally {
                    unanswered.end(statement);
                }
            }
        });
    }

    /** The ids of the jobs that {@link #run} would claim now. */
    public List<Long> names(String queue, Look look, Keys keys, int limit, Which which, long nodeId) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                set(statement, queue, look, keys, limit, 0, which, nodeId, null, true);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    rows.next(); // about the claim as a whole
                    return Ids.read(rows);
                }
            }
        });
    }

    private void set(
            PreparedStatement statement,
            String queue,
            Look look,
            Keys keys,
            int limit,
            int largest,
            Which which,
            long nodeId,
            @Nullable String timeouts,
            boolean names)
            throws SQLException {
        int most = keys(look, limit);
        List<Known> known = keys.list();
        new Parameters(statement)
                .add(queue)
                .add(nodeId)
                .add((long) limit)
                .add(timeouts)
                .add(longestWait.toMillis())
                .add(largest)
                .add(keys.known() == null ? most : 0)
                .add(look.key())
                .add(look.rest())
                .add(look.key().isEmpty() ? 1 : most)
                .addTexts(known.stream().map(Known::key).toList())
                .add(known.stream().mapToInt(Known::rank).toArray())
                .add(known.stream().mapToLong(Known::id).toArray())
                .add(keys.more())
                .add(keys.rule())
                .add(known.stream().mapToLong(Known::token).toArray())
                .add(keys.token())
                .add(keys.recount())
                .add(look.backlog() ? TURNS_OF_BACKLOG : TURNS)
                .add(look.plainFirst())
                .add(look.borrows())
                .addTexts(which.withoutTypes())
                .add(which.without())
                .addOrNull(which.only())
                .add(names);
    }
}
