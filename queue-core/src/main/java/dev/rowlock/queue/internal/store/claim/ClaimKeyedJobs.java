package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.claim.KeyedText.Form;
import dev.rowlock.queue.internal.store.claim.KeyedText.Walk;
import dev.rowlock.queue.internal.store.claim.KnownKeys.Known;
import dev.rowlock.queue.internal.store.gate.CancelRest;
import dev.rowlock.queue.internal.store.gate.GateLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    /** A claim locks so many keys, at most. */
    static final int MOST_KEYS = 1_000;

    /** All transactions of a server share a table with room for some thousand locks; a claim takes this part of it, at most. */
    private static final int PART_OF_LOCKS = 16;

    /** So many such parts for the claims of all queues together. */
    private static final int PARTS = 8;

    /** So many, before a claim has told how many locks there is room for. */
    private static final int FIRST_KEYS = 200;

    /** It looks at so many, at least: some may be at their limit. */
    private static final int FEWEST = 20;

    /** So many claims of one queue at once, at most: others would find its keys locked. */
    private static final int TURNS = 4;

    /** So many of them while there is a backlog. Two keep the server busy; with four, and ten nodes, each job cost up to twice as much. */
    private static final int TURNS_OF_BACKLOG = 2;

    /**
     * Whose turn it is.
     *
     * @param key the keys behind this one; empty: all
     * @param rest this key comes first, and gets so many jobs: a claim before this one had no room for all of its share; 0: it has had its turn
     * @param plainFirst whether jobs without keys come first, in a queue that is limited as a whole; otherwise they come where no key
     *     has room
     * @param borrows whether keys may have as many jobs as their burst allows, not only their limit: nobody else wants the places
     * @param backlog whether there are many jobs, so that only few claims of them are made at a time
     * @param wide whether it looks at as many keys as a claim may, however few jobs are wanted: those before them had none that may run
     */
    public record Turn(String key, int rest, boolean plainFirst, boolean borrows, boolean backlog, boolean wide) {

        /** All keys. */
        public static final Turn FIRST = new Turn("", 0, true);

        /** Within limits, over all keys. */
        public Turn(String key, int rest, boolean plainFirst) {
            this(key, rest, plainFirst, false, false, false);
        }

        public Turn plainFirst(boolean first) {
            return new Turn(key, rest, first, borrows, backlog, wide);
        }

        public Turn borrowing() {
            return new Turn(key, rest, plainFirst, true, backlog, wide);
        }

        public Turn ofBacklog(boolean many) {
            return new Turn(key, rest, plainFirst, borrows, many, wide);
        }

        public Turn widely(boolean is) {
            return new Turn(key, rest, plainFirst, borrows, backlog, is);
        }
    }

    /** Why a claim could bring no job of any key. The next one goes on at the same place, or those that come first would always be the first ones. */
    public enum Stop {
        /** It could. */
        NONE,
        /** What limits the queue as a whole had no room. */
        QUEUE_FULL,
        /** As many others as may do so at the same time were claiming jobs of the queue. */
        OUT_OF_TURN
    }

    /**
     * What one claim brought.
     *
     * @param room it could bring no more jobs: what was asked for, or what limits the queue as a whole had room for
     * @param next where the next claim goes on; null: all keys have had their turn
     * @param stop why it could bring no job of any key
     * @param keys whether there were any
     * @param limited whether something limits the queue as a whole, so that this claims jobs without keys too
     * @param busy how many keys somebody else was filling at that moment
     * @param untilRate when a rate allows one of them the next job; null: no rate held up any
     * @param toCancel keys whose jobs are to be cancelled, because one of them has failed
     * @param lends whether a turn that {@linkplain Turn#borrows borrows} could bring more: the queue has a burst, and was not full as a whole, in which
     *     case it says nothing of who wants its places
     * @param learned for {@link KnownKeys} of the claims that follow
     */
    public record KeyedBatch(
            Batch batch,
            long room,
            @Nullable Turn next,
            Stop stop,
            boolean keys,
            boolean limited,
            int busy,
            @Nullable Duration untilRate,
            List<String> toCancel,
            boolean lends,
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
    private final Map<Form, KeyedText> texts = new ConcurrentHashMap<>();
    private volatile int most = FIRST_KEYS; // of the keys of a claim
    private final Map<String, Set<RulePart>> seen =
            new ConcurrentHashMap<>(); // of each queue's rule, when it was last seen

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
        KnownKeys with = withUnfinished(turn, known);
        NamedParameters parameters = parameters(queue, turn, with, limit, which, nodeId)
                .with("timeouts", timeouts)
                .with("longest_wait", longestWait.toMillis())
                .with("largest", largest);
        while (true) {
            Form form = which.all()
                    ? Form.all(seen.getOrDefault(queue, Set.of()), walk(with), with.saysMore())
                    : Form.some(false);
            Optional<KeyedBatch> batch = database.atOnce(connection -> {
                database.numbering().check(connection);
                long begun = System.nanoTime();
                try (PreparedStatement statement = prepare(connection, form, parameters)) {
                    return read(statement, queue, turn, limit, begun, form);
                }
            });
            if (batch.isPresent()) {
                return batch.get();
            }
        }
    }

    /** The ids of the jobs that {@link #run} would claim now. */
    public List<Long> names(String queue, Turn turn, KnownKeys known, int limit, Which which, long nodeId) {
        NamedParameters parameters = parameters(queue, turn, withUnfinished(turn, known), limit, which, nodeId);
        return database.atOnce(connection -> {
            try (PreparedStatement statement = prepare(connection, Form.some(true), parameters)) {
                statement.execute();
                IndexPlan.rows(statement).close();
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }

    private static Walk walk(KnownKeys known) {
        return known.only() ? Walk.ONLY_KNOWN : known.keys().isEmpty() ? Walk.FROM_FRONT : Walk.OVER_KNOWN;
    }

    private PreparedStatement prepare(Connection connection, Form form, NamedParameters parameters)
            throws SQLException {
        KeyedText text = texts.computeIfAbsent(form, all -> KeyedText.of(all).in(database.schema()));
        PreparedStatement statement = IndexPlan.prepare(connection, text.sql());
        parameters.with("parts", RulePart.bits(form.parts())).set(statement, text.names());
        return statement;
    }

    /** How many keys a claim of so many jobs looks at in this turn. */
    public int keys(Turn turn, int limit) {
        return turn.wide() ? most : Math.min(most, Math.max(FEWEST, limit));
    }

    static int most(long locks) {
        return (int) Math.max(FEWEST, Math.min(MOST_KEYS, locks / PART_OF_LOCKS));
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
        return new KnownKeys(all, known.more(), known.only(), known.token(), known.rule(), known.recount());
    }

    private NamedParameters parameters(String queue, Turn turn, KnownKeys known, int limit, Which which, long nodeId) {
        List<Long> only = which.only();
        int keys = keys(turn, limit);
        return new NamedParameters()
                .with("queue", queue)
                .with("lock", GateLock.name(database.schema(), queue))
                .with("turns", turn.backlog() ? TURNS_OF_BACKLOG : TURNS)
                .with("many", keys > FEWEST)
                .with("shares", PARTS * Math.max(1, most / keys))
                .with("share_lock", GateLock.ofMany(database.schema()))
                .with("rule", known.rule())
                .with("recount", known.recount())
                .texts("known_keys", known.keys().stream().map(Known::key).toList())
                .with("ranks", known.ranks())
                .with("ids", known.ids())
                .with("tokens", known.tokens())
                .with("token", known.token())
                .with("more", known.more())
                .with("after", turn.key())
                .with("keys", keys)
                .with("node", nodeId)
                .with("jobs", (long) limit)
                .with("plain_first", turn.plainFirst())
                .with("borrows", turn.borrows())
                .with("unfinished", turn.rest() > 0 ? turn.key() : "")
                .with("rest", turn.rest())
                .texts("without_types", which.withoutTypes())
                .ids("without", which.without())
                .with("all_others", only == null)
                .ids("only", only == null ? List.of() : only);
    }

    /** Empty if the rule has other parts by now, so that nothing was claimed. */
    private Optional<KeyedBatch> read(
            PreparedStatement statement, String queue, Turn turn, int limit, long begun, Form form)
            throws SQLException {
        unanswered.begin(statement);
        try {
            statement.execute();
            KeyedWalk walk;
            try (ResultSet walked = IndexPlan.rows(statement)) {
                walk = KeyedWalk.read(walked);
            }
            ClaimedRows claimed = new ClaimedRows(queue, walk.at());
            Batch batch;
            try (ResultSet rows = IndexPlan.rows(statement)) {
                batch = claimed.readKeyed(rows, limit, begun);
            }
            long room = form.has(RulePart.OF_QUEUE) ? room(statement, limit) : limit;
            seen.put(queue, walk.parts());
            most = most(walk.locks());
            return form.parts().containsAll(walk.parts())
                    ? Optional.of(walk.with(batch, claimed, turn, room))
                    : Optional.empty();
        } finally {
            unanswered.end(statement);
        }
    }

    private static long room(PreparedStatement statement, int limit) throws SQLException {
        try (ResultSet row = IndexPlan.rows(statement)) {
            row.next();
            String room = row.getString(1);
            return room == null || room.isEmpty() ? limit : Long.parseLong(room); // none: nobody has asked
        }
    }
}
