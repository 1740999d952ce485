package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.gate.CancelRest;
import dev.rowlock.queue.internal.store.gate.GateLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves ready jobs to running as far as the limits, rates and the order of their queue and of their keys allow: those that have keys, and in a queue
 * with a limit of its own all others too.
 *
 * <p>One round trip and one transaction, but two statements. The first walks through the keys of the queue, from one on, and tries to
 * lock them, so that no two claims fill the same place. The second has a snapshot that is newer than the locks: it counts what runs, and takes as many jobs of each key as there is
 * room for. No counter is kept, so none can be wrong.
 *
 * <p>Each key that has room gets an equal share of a claim, so that keys take turns.
 */
public final class ClaimKeyedJobs {

    /** A claim locks so many keys, at most: all transactions of a server share a table with room for some thousand locks. */
    static final int KEYS = 200;

    /** It looks at so many, at least: some may be at their limit. */
    private static final int FEWEST = 20;

    /** So many claims of one queue at once, at most, for the same reason. */
    private static final int TURNS = 8;

    private static final String SQL = IndexPlan.PREFIX + KeyedClaimSql.WALK + KeyedClaimSql.CLAIM;

    /**
     * What one claim brought.
     *
     * @param reached behind this key the next claim looks; null if there was none
     * @param end whether no key comes after it
     * @param limited whether the queue has a limit of its own, so that this claims jobs without keys too
     * @param busy how many keys, or 1 for the queue, somebody else was filling at that moment
     * @param untilRate when a rate allows one of them the next job; null: no rate held up any
     * @param toCancel keys whose jobs are to be cancelled, because one of them has failed
     */
    public record KeyedBatch(
            Batch batch,
            @Nullable String reached,
            boolean end,
            boolean limited,
            int busy,
            @Nullable Duration untilRate,
            List<String> toCancel) {}

    /** What the walk through the keys has found. */
    private record Walk(
            @Nullable String reached,
            boolean end,
            boolean limited,
            int busy,
            @Nullable Duration untilRate,
            List<String> toCancel,
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
                    row.getDouble(7));
        }

        KeyedBatch with(Batch batch) {
            return new KeyedBatch(batch, reached, end, limited, busy, untilRate, toCancel);
        }

        /** Keys behind this one got nothing: the next claim begins there. */
        KeyedBatch fullAt(String key, Batch batch) {
            return new KeyedBatch(batch, key, false, limited, busy, untilRate, toCancel);
        }
    }

    private final Database database;
    private final Duration longestWait;
    private final CancelRest cancelRest;
    private final String sql;

    /** @param longestWait a handler that has not begun so long after the claim does not begin: added to each timeout */
    public ClaimKeyedJobs(Database database, Duration longestWait) {
        this.database = database;
        this.longestWait = longestWait;
        this.cancelRest = new CancelRest(database);
        this.sql = database.sql(SQL);
    }

    /** For {@link KeyedBatch#toCancel}. */
    public CancelRest cancelRest() {
        return cancelRest;
    }

    /**
     * Claims up to {@code limit} jobs.
     *
     * @param after looks at the keys behind this one; empty: at all
     * @param plainFirst whether jobs without keys come first, in a queue with a limit of its own; otherwise they come where no key
     *     has room
     * @param largest a large payload of more bytes than this stays behind until its job starts
     * @param left jobs of these types stay ready
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public KeyedBatch run(
            String queue,
            String after,
            boolean plainFirst,
            int limit,
            int largest,
            List<String> left,
            long nodeId,
            @Nullable String timeouts) {
        return database.alone(
                connection -> run(connection, queue, after, plainFirst, limit, largest, left, nodeId, timeouts));
    }

    private KeyedBatch run(
            Connection connection,
            String queue,
            String after,
            boolean plainFirst,
            int limit,
            int largest,
            List<String> left,
            long nodeId,
            @Nullable String timeouts)
            throws SQLException {
        long begun = System.nanoTime();
        int keys = Math.min(KEYS, Math.max(FEWEST, limit));
        try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
            new Parameters(statement)
                    .add(queue)
                    .add(lock(queue))
                    .add(TURNS)
                    .add(lock(queue))
                    .add(queue)
                    .add(queue)
                    .add(after)
                    .add(queue)
                    .add(keys)
                    .add(queue)
                    .add(lock(queue))
                    .add(keys)
                    .add(queue)
                    .add(queue)
                    .add(queue)
                    // the claim
                    .add(queue)
                    .add(queue)
                    .add(nodeId)
                    .add(queue)
                    .add((long) limit)
                    .add(plainFirst)
                    .add(queue)
                    .addTexts(left)
                    .add(queue)
                    .add(queue)
                    .add(queue)
                    .addTexts(left)
                    .add(queue)
                    .add(queue)
                    .addTexts(left)
                    .add(queue)
                    .add(queue)
                    .add(nodeId)
                    .add(timeouts)
                    .add(longestWait.toMillis())
                    .add(largest);
            statement.execute();
            try (ResultSet walked = IndexPlan.rows(statement)) {
                Walk walk = Walk.read(walked);
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    ClaimedRows claimed = new ClaimedRows(queue, walk.at());
                    Batch batch = claimed.readKeyed(rows, limit, begun);
                    String last = claimed.lastKey();
                    return batch.jobs().size() < limit
                            ? walk.with(batch)
                            : walk.fullAt(last == null ? after : last, batch);
                }
            }
        }
    }

    private String lock(String queue) {
        return GateLock.name(database.schema(), queue);
    }
}
