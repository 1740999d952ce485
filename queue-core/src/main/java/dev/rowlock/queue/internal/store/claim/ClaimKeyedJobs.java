package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.claim.KnownKeys.Known;
import dev.rowlock.queue.internal.store.gate.CancelRest;
import dev.rowlock.queue.internal.store.gate.GateLock;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
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
     * @param learned for {@link KnownKeys} of the claims that follow
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
            Map<String, Integer> wanting,
            LearnedKeys learned) {}

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
    private final String claimAllFromFront;
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
        this.claimAll = database.sql(KeyedClaimSql.LOOK + KeyedClaimSql.CLAIM_ALL);
        this.claimAllFromFront = database.sql(KeyedClaimSql.LOOK_FROM_FRONT + KeyedClaimSql.CLAIM_ALL);
        this.claimSome = database.sql(KeyedClaimSql.LOOK + KeyedClaimSql.CLAIM_SOME);
        this.namesOfSome = database.sql(KeyedClaimSql.LOOK + KeyedClaimSql.NAMES_OF_SOME);
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
        return run(queue, turn, KnownKeys.NONE, limit, largest, which, nodeId, timeouts);
    }

    /** The same, by what the caller knows of keys. */
    public KeyedBatch run(
            String queue,
            Turn turn,
            KnownKeys known,
            int limit,
            int largest,
            Which which,
            long nodeId,
            @Nullable String timeouts) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            long begun = System.nanoTime();
            KnownKeys with = withUnfinished(turn, known);
            boolean fromFront = which.all() && with.keys().isEmpty();
            String all = fromFront ? claimAllFromFront : claimAll;
            try (PreparedStatement statement = IndexPlan.prepare(connection, which.all() ? all : claimSome)) {
                Parameters parameters = look(statement, queue, turn, with, limit, fromFront);
                choose(parameters, queue, turn, with, limit, which.all() ? null : which, nodeId)
                        .add(nodeId)
                        .add(timeouts)
                        .add(longestWait.toMillis())
                        .add(largest);
                return read(statement, queue, turn, limit, begun);
            }
        });
    }

    /** The ids of the jobs that {@link #run} would claim now. */
    public List<Long> names(String queue, Turn turn, KnownKeys known, int limit, Which which, long nodeId) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, namesOfSome)) {
                KnownKeys with = withUnfinished(turn, known);
                choose(look(statement, queue, turn, with, limit, false), queue, turn, with, limit, which, nodeId);
                statement.execute();
                IndexPlan.rows(statement).close();
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }

    /** How many keys a claim of so many jobs looks at. */
    public static int keys(int limit) {
        return Math.min(KEYS, Math.max(FEWEST, limit));
    }

    /** Where a key has not had all of its turn, the walk begins with it. */
    private static KnownKeys withUnfinished(Turn turn, KnownKeys known) {
        List<Known> keys = known.keys();
        if (turn.rest() == 0 || !keys.isEmpty() && keys.get(0).key().equals(turn.key())) {
            return known;
        }
        List<Known> all = new ArrayList<>(keys.size() + 1);
        all.add(Known.fromFront(turn.key()));
        all.addAll(keys);
        return new KnownKeys(all, known.more(), known.token(), known.rule(), known.recount());
    }

    private Parameters look(
            PreparedStatement statement, String queue, Turn turn, KnownKeys known, int limit, boolean fromFront)
            throws SQLException {
        Parameters parameters = new Parameters(statement)
                .add(queue)
                .add(lock(queue))
                .add(TURNS)
                .add(lock(queue))
                .add(queue)
                .add(known.rule())
                .add(known.recount())
                .addTexts(known.keys().stream().map(Known::key).toList())
                .add(known.ranks())
                .add(known.ids())
                .add(known.more())
                .add(turn.key())
                .add(queue);
        if (!fromFront) {
            parameters.add(queue).add(queue);
        }
        return parameters
                .add(keys(limit))
                .add(queue)
                .addTexts(turn.ahead())
                .add(lock(queue))
                .add(queue)
                .add(queue)
                .add(queue)
                .add(queue)
                .add(known.rule())
                .add(known.token())
                .add(queue);
    }

    private static Parameters choose(
            Parameters parameters,
            String queue,
            Turn turn,
            KnownKeys known,
            int limit,
            @Nullable Which some,
            long nodeId)
            throws SQLException {
        parameters
                .add(queue)
                .add(queue)
                .add(known.ranks())
                .add(known.ids())
                .add(known.tokens())
                .add(known.token())
                .add(known.rule())
                .add(queue)
                .add(nodeId)
                .add((long) limit)
                .add(turn.plainFirst())
                .add(queue);
        add(parameters, some)
                .add(queue)
                .add(queue)
                .add(turn.borrows())
                .add(turn.rest() > 0 ? turn.key() : "")
                .add(turn.rest())
                .add(queue)
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
                KeyedWalk walk = KeyedWalk.read(walked);
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    ClaimedRows claimed = new ClaimedRows(queue, walk.at());
                    Batch batch = claimed.readKeyed(rows, limit, begun);
                    return batch.jobs().size() < limit
                            ? walk.with(batch, claimed)
                            : walk.fullAt(claimed.lastTurn(turn), batch, claimed);
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
