package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.claim.KeyedBatch.Claimed;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
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

    private static final Comparator<Positioned> IN_QUEUE_ORDER = Comparator.comparingInt(Positioned::rank)
            .thenComparingLong(Positioned::readyAtMicros)
            .thenComparingLong(positioned -> positioned.job().id());

    private final String queue;
    private final boolean keyed;
    private final boolean counted;
    private final long claimedMicros;
    private final Instant claimedInstant; // one for all
    private byte @Nullable [] typeBytes;
    private String type = "";
    private final Map<String, Claimed> claimedKeys = new HashMap<>();

    /**
     * @param claimedAt as an epoch, in seconds
     * @param keyed whether they may have keys, each of which is in one more column
     * @param counted whether they count against limits
     */
    ClaimedRows(String queue, double claimedAt, boolean keyed, boolean counted) {
        this.queue = queue;
        this.keyed = keyed;
        this.counted = counted;
        this.claimedMicros = Columns.micros(claimedAt);
        this.claimedInstant = Instant.EPOCH.plus(claimedMicros, ChronoUnit.MICROS);
    }

    /**
     * Reads them all, in whatever order they come.
     *
     * @param most how many there may be
     */
    Batch read(ResultSet rows, int most, long begun) throws SQLException {
        List<Positioned> claimed = new ArrayList<>(most);
        while (rows.next()) {
            claimed.add(new Positioned(rows.getInt(RANK), Columns.micros(rows.getDouble(READY_AT)), job(rows)));
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

    /** What was read of each key. */
    Map<String, Claimed> keys() {
        return claimedKeys;
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
    }

    private ClaimedJob job(ResultSet row) throws SQLException {
        Duration sinceReady = untilClaimed(row.getDouble(READY_AT));
        double enqueuedAt = row.getDouble(ENQUEUED_AT);
        return new ClaimedRow(
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
                counted);
    }

    /** Negative if it was after the claim had begun. */
    private Duration untilClaimed(double epoch) {
        return Duration.ofNanos((claimedMicros - Columns.micros(epoch)) * 1_000);
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
