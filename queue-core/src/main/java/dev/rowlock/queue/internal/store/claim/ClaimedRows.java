package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.claim.LearnedKeys.Claimed;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what one claim returned. Every job passes here, so it wastes no memory. */
final class ClaimedRows {

    private static final int ID = 1;
    private static final int TOKEN = 2;
    private static final int READY_AT = 3;
    private static final int RANK = 4;
    private static final int EARLIER_ATTEMPTS = 5;
    private static final int CRASHES = 6;
    private static final int TYPE = 7;
    private static final int ENQUEUED_AT = 8; // null: when it became ready, as with most jobs
    private static final int MAX_RETRIES = 9;
    private static final int TIMEOUT = 10;
    private static final int DEADLINE = 11;
    private static final int PAYLOAD = 12;
    private static final int HEADERS = 13;
    private static final int KEY = 14;
    private static final int COUNTED = 15;
    private static final int TOLD = 16; // of the claim as a whole, with one of its jobs

    // In that column, before keys of which jobs ran and as many tokens.
    private static final int LAST_KEY = 0;
    private static final int LAST_WEIGHT = 1;
    private static final int LOWEST_OF_QUEUE = 2;
    private static final int LOWEST = 3;

    private static final Comparator<Positioned> IN_QUEUE_ORDER = Comparator.comparingInt(Positioned::rank)
            .thenComparingLong(Positioned::readyAtMicros)
            .thenComparingLong(positioned -> positioned.job().id());

    private final String queue;
    private final long claimedMicros;
    private final Instant claimedInstant; // one for all
    private byte @Nullable [] typeBytes;
    private String type = "";
    private @Nullable String lastKey;
    private int lastWeight;
    private final Map<String, Claimed> claimedKeys = new HashMap<>();
    private final Map<String, Long> lowest = new HashMap<>();
    private @Nullable Long lowestOfQueue;
    private boolean heard;

    /** @param claimedAt as an epoch, in seconds */
    ClaimedRows(String queue, double claimedAt) {
        this.queue = queue;
        this.claimedMicros = QueuePosition.micros(claimedAt);
        this.claimedInstant = Instant.EPOCH.plus(claimedMicros, ChronoUnit.MICROS);
    }

    /**
     * Reads them all, in whatever order they come.
     *
     * @param most how many there may be
     */
    Batch read(ResultSet rows, int most, long begun) throws SQLException {
        return read(rows, most, begun, false);
    }

    /** The same of a claim of jobs with keys. */
    Batch readKeyed(ResultSet rows, int most, long begun) throws SQLException {
        return read(rows, most, begun, true);
    }

    /** Where a claim goes on after {@link #readKeyed} has read as many jobs as there could be. */
    Turn lastTurn(Turn before) {
        if (lastKey == null) {
            return before;
        }
        int had = before.rest() > 0 && lastKey.equals(before.key()) ? lastWeight - before.rest() : 0;
        Claimed ofLast = claimedKeys.get(lastKey);
        return new Turn(lastKey, Math.max(0, lastWeight - had - (ofLast == null ? 0 : ofLast.jobs())), true);
    }

    private Batch read(ResultSet rows, int most, long begun, boolean keyed) throws SQLException {
        List<Positioned> claimed = new ArrayList<>(most);
        while (rows.next()) {
            claimed.add(new Positioned(
                    rows.getInt(RANK), QueuePosition.micros(rows.getDouble(READY_AT)), job(rows, keyed)));
            if (keyed) {
                learn(rows);
            }
        }
        claimed.sort(IN_QUEUE_ORDER);
        QueuePosition last =
                claimed.isEmpty() ? null : claimed.get(claimed.size() - 1).position();
        return new Batch(
                claimed.stream().map(Positioned::job).toList(),
                last,
                claimedInstant,
                Duration.ofNanos(System.nanoTime() - begun),
                true);
    }

    private void learn(ResultSet row) throws SQLException {
        String key = row.getString(KEY);
        if (key != null) {
            int rank = row.getInt(RANK);
            long id = row.getLong(ID);
            long token = row.getLong(TOKEN);
            Claimed before = claimedKeys.get(key);
            claimedKeys.put(key, before == null ? new Claimed(1, rank, id, token) : before.and(rank, id, token));
        }
        Array told = row.getArray(TOLD);
        if (told != null) {
            hear((@Nullable String[]) told.getArray());
        }
    }

    private void hear(@Nullable String[] told) {
        heard = true;
        lastKey = told[LAST_KEY];
        lastWeight = told[LAST_WEIGHT] == null ? 0 : Integer.parseInt(told[LAST_WEIGHT]);
        lowestOfQueue = told[LOWEST_OF_QUEUE] == null ? null : Long.valueOf(told[LOWEST_OF_QUEUE]);
        int keys = (told.length - LOWEST) / 2;
        for (int i = LOWEST; i < LOWEST + keys; i++) {
            lowest.put(Objects.requireNonNull(told[i]), Long.valueOf(told[i + keys]));
        }
    }

    /**
     * After {@link #readKeyed}. Somebody may change the job that was to tell of the whole, between the claim's snapshot and its lock: then the others are
     * claimed without it, and older ones of their keys may run.
     */
    LearnedKeys learned(@Nullable Long rule, boolean fresh, boolean inOrder) {
        boolean untold = !heard && !claimedKeys.isEmpty();
        return new LearnedKeys(fresh || untold ? null : rule, rule, inOrder, claimedKeys, lowest, lowestOfQueue);
    }

    private ClaimedJob job(ResultSet row, boolean keyed) throws SQLException {
        Duration sinceReady = untilClaimed(row.getDouble(READY_AT));
        double enqueuedAt = row.getDouble(ENQUEUED_AT);
        return new ClaimedJob(
                new Claim(row.getLong(ID), row.getLong(TOKEN)),
                queue,
                type(row),
                row.getInt(EARLIER_ATTEMPTS) + 1,
                row.getInt(CRASHES),
                sinceReady.isNegative() ? Duration.ZERO : sinceReady,
                enqueuedAt == 0 ? sinceReady : untilClaimed(enqueuedAt),
                claimedInstant,
                row.getString(PAYLOAD),
                row.getString(HEADERS),
                Columns.integer(row, MAX_RETRIES),
                Columns.duration(row, TIMEOUT),
                Columns.instant(row, DEADLINE),
                keyed ? row.getString(KEY) : null,
                keyed && row.getBoolean(COUNTED));
    }

    /** Negative if it was after the claim had begun. */
    private Duration untilClaimed(double epoch) {
        return Duration.ofNanos((claimedMicros - QueuePosition.micros(epoch)) * 1_000);
    }

    /** Mostly that of the row before. */
    private String type(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes(TYPE);
        if (!Arrays.equals(bytes, typeBytes)) {
            typeBytes = bytes;
            type = row.getString(TYPE);
        }
        return type;
    }

    /** A job and where it stood; it has a position of its own only if it asks for one. */
    private record Positioned(int rank, long readyAtMicros, ClaimedJob job) {

        QueuePosition position() {
            return new QueuePosition(rank, readyAtMicros, job.id());
        }
    }
}
