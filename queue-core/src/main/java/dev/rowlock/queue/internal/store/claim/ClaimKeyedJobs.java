package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.gate.CancelRest;
import dev.rowlock.queue.internal.store.gate.GateLock;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Moves ready jobs to running as far as the limits, rates and the order of their queue and of their keys allow: those that have keys, and in a queue
 * with a limit of its own all others too.
 *
 * <p>One round trip and one transaction, but two statements. The first walks through the keys of the queue, from one on, and tries to
 * lock them, so that no two claims fill the same place. The second has a snapshot that is newer than the locks: it counts what runs, and takes as many jobs of each key as there is
 * room for. No counter is kept, so none can be wrong.
 *
 * <p>Each key that has room gets a share of a claim, by its weight, so that keys take turns.
 */
public final class ClaimKeyedJobs {

    /** A claim locks so many keys, at most: all transactions of a server share a table with room for some thousand locks. */
    static final int KEYS = 400;

    /** It looks at so many, at least: some may be at their limit. */
    private static final int FEWEST = 20;

    /** So many claims of one queue at once, at most, for the same reason. */
    private static final int TURNS = 4;

    private static final String LOOK = IndexPlan.PREFIX + KeyedClaimSql.WALK;

    /**
     * Whose turn it is.
     *
     * @param key the keys behind this one; empty: all
     * @param rest this key comes first, and gets so many jobs: a claim before this one had no room for all of its share; 0: it has had its turn
     * @param plainFirst whether jobs without keys come first, in a queue that is limited as a whole; otherwise they come where no key
     *     has room
     * @param borrows whether keys may have as many jobs as their burst allows, not only their limit: nobody else wants the places
     * @param ahead keys that are passed over
     */
    public record Turn(String key, int rest, boolean plainFirst, boolean borrows, List<String> ahead) {

        /** All keys. */
        public static final Turn FIRST = new Turn("", 0, true);

        /** Within limits, over all keys. */
        public Turn(String key, int rest, boolean plainFirst) {
            this(key, rest, plainFirst, false, List.of());
        }

        public Turn plainFirst(boolean first) {
            return new Turn(key, rest, first, borrows, ahead);
        }

        public Turn borrowing() {
            return new Turn(key, rest, plainFirst, true, ahead);
        }

        public Turn without(List<String> keys) {
            return new Turn(key, rest, plainFirst, borrows, keys);
        }

        /** Where the walk begins. No key lies between another one and that followed by the first of all characters. */
        private String begin() {
            return rest > 0 || key.isEmpty() ? key : key + '\u0001';
        }
    }

    /**
     * What one claim brought.
     *
     * @param next where the next claim goes on; null: all keys have had their turn
     * @param keys whether there were any
     * @param limited whether something limits the queue as a whole, so that this claims jobs without keys too
     * @param busy how many keys, or 1 for the queue, somebody else was filling at that moment
     * @param untilRate when a rate allows one of them the next job; null: no rate held up any
     * @param toCancel keys whose jobs are to be cancelled, because one of them has failed
     * @param lends whether a turn that {@linkplain Turn#borrows borrows} could bring more: the queue has a burst, and was not full as a whole, in which
     *     case it says nothing of who wants its places
     * @param byRunTime whether keys share run time
     * @param wanting in that case, the keys with jobs ready that this has come by and no rate holds up, passed over or not, with their weights
     */
    public record KeyedBatch(
            Batch batch,
            @Nullable Turn next,
            boolean keys,
            boolean limited,
            int busy,
            @Nullable Duration untilRate,
            List<String> toCancel,
            boolean lends,
            boolean byRunTime,
            Map<String, Integer> wanting) {}

    /** What the walk through the keys has found. */
    private record Walk(
            @Nullable String reached,
            boolean end,
            boolean limited,
            int busy,
            @Nullable Duration untilRate,
            List<String> toCancel,
            boolean lends,
            boolean byRunTime,
            Map<String, Integer> wanting,
            double at) {

        static Walk read(ResultSet row) throws SQLException {
            row.next();
            double wait = row.getDouble(9); // zero: null
            return new Walk(
                    row.getString(6),
                    row.getBoolean(5),
                    row.getBoolean(8),
                    row.getBoolean(3) ? row.getInt(4) : 1,
                    wait <= 0 ? null : Duration.ofNanos((long) (wait * 1e9)),
                    Columns.textList(row, 10),
                    row.getBoolean(11),
                    row.getBoolean(12),
                    wanting(row),
                    row.getDouble(7));
        }

        private static Map<String, Integer> wanting(ResultSet row) throws SQLException {
            List<String> keys = Columns.textList(row, 13);
            if (keys.isEmpty()) {
                return Map.of();
            }
            Integer[] weights = (Integer[]) row.getArray(14).getArray();
            Map<String, Integer> wanting = new HashMap<>();
            for (int i = 0; i < weights.length; i++) {
                wanting.put(keys.get(i), weights[i]);
            }
            return wanting;
        }

        KeyedBatch with(Batch batch) {
            return batch(batch, end || reached == null ? null : new Turn(reached, 0, true));
        }

        /** Keys behind the last one that got a job got nothing. */
        KeyedBatch fullAt(Turn last, Batch batch) {
            boolean round = end && last.rest() == 0 && last.key().equals(reached);
            return batch(batch, round ? null : last);
        }

        private KeyedBatch batch(Batch batch, @Nullable Turn next) {
            return new KeyedBatch(
                    batch, next, reached != null, limited, busy, untilRate, toCancel, lends, byRunTime, wanting);
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

        private boolean all() {
            return withoutTypes.isEmpty() && without.isEmpty() && only == null;
        }
    }

    private final Database database;
    private final Duration longestWait;
    private final UnansweredClaims unanswered;
    private final CancelRest cancelRest;
    private final String claimAll;
    private final String claimSome;
    private final String namesOfSome;

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
        this.claimAll = database.sql(LOOK + KeyedClaimSql.CLAIM_ALL);
        this.claimSome = database.sql(LOOK + KeyedClaimSql.CLAIM_SOME);
        this.namesOfSome = database.sql(LOOK + KeyedClaimSql.NAMES_OF_SOME);
    }

    /** For {@link KeyedBatch#toCancel}. */
    public CancelRest cancelRest() {
        return cancelRest;
    }

    /**
     * Claims up to {@code limit} jobs.
     *
     * @param largest a large payload of more bytes than this stays behind until its job starts
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public KeyedBatch run(
            String queue, Turn turn, int limit, int largest, Which which, long nodeId, @Nullable String timeouts) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, which.all() ? claimAll : claimSome)) {
                Parameters parameters = look(statement, queue, turn, limit);
                choose(parameters, queue, turn, limit, which.all() ? null : which, nodeId)
                        .add(nodeId)
                        .add(timeouts)
                        .add(longestWait.toMillis())
                        .add(largest);
                return read(statement, queue, turn, limit, begun);
            }
        });
    }

    /** The ids of the jobs that {@link #run} would claim now. */
    public List<Long> names(String queue, Turn turn, int limit, Which which, long nodeId) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, namesOfSome)) {
                choose(look(statement, queue, turn, limit), queue, turn, limit, which, nodeId);
                statement.execute();
                IndexPlan.rows(statement).close();
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }

    private Parameters look(PreparedStatement statement, String queue, Turn turn, int limit) throws SQLException {
        int keys = Math.min(KEYS, Math.max(FEWEST, limit));
        return new Parameters(statement)
                .add(queue)
                .add(lock(queue))
                .add(TURNS)
                .add(lock(queue))
                .add(queue)
                .add(queue)
                .add(turn.begin())
                .add(queue)
                .add(keys)
                .add(queue)
                .addTexts(turn.ahead())
                .add(lock(queue))
                .add(queue)
                .add(keys)
                .add(queue)
                .add(queue)
                .add(queue)
                .add(queue);
    }

    private static Parameters choose(
            Parameters parameters, String queue, Turn turn, int limit, @Nullable Which some, long nodeId)
            throws SQLException {
        parameters
                .add(queue)
                .add(queue)
                .add(nodeId)
                .add(queue)
                .add((long) limit)
                .add(turn.plainFirst())
                .add(queue);
        add(parameters, some)
                .add(queue)
                .add(queue)
                .add(turn.borrows())
                .add(queue)
                .add(turn.rest() > 0 ? turn.key() : "")
                .add(turn.rest())
                .add(queue)
                .add(queue)
                .add(queue);
        add(parameters, some).add(queue).add(queue);
        return add(parameters, some).add(queue).add(queue);
    }

    private static Parameters add(Parameters parameters, @Nullable Which some) throws SQLException {
        return some == null
                ? parameters
                : parameters
                        .addTexts(some.withoutTypes())
                        .add(some.without())
                        .add(some.only() == null)
                        .add(some.only() == null ? List.of() : some.only());
    }

    private KeyedBatch read(PreparedStatement statement, String queue, Turn turn, int limit, long begun)
            throws SQLException {
        unanswered.begin(statement);
        try {
            statement.execute();
            try (ResultSet walked = IndexPlan.rows(statement)) {
                Walk walk = Walk.read(walked);
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    ClaimedRows claimed = new ClaimedRows(queue, walk.at());
                    Batch batch = claimed.readKeyed(rows, limit, begun);
                    return batch.jobs().size() < limit ? walk.with(batch) : walk.fullAt(claimed.lastTurn(turn), batch);
                }
            }
        } finally {
            unanswered.end(statement);
        }
    }

    private String lock(String queue) {
        return GateLock.name(database.schema(), queue);
    }
}
