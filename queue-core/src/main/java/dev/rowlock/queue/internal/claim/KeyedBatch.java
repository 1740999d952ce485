package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one claim of {@link ClaimKeyedJobs} brought, and what it has found.
 *
 * @param room it could bring no more jobs: what was asked for, or what limits the queue as a whole had room for
 * @param next where the next claim goes on; null: all keys have had their turn
 * @param stop why it could bring no job of any key
 * @param keys whether there were any
 * @param limited whether something limits the queue as a whole, so that this claims jobs without keys too
 * @param busy how many keys somebody else was filling at that moment
 * @param untilRate when a rate allows one of them the next job; null: no rate held up any
 * @param toCancel keys whose jobs are to be cancelled, because one of them is dead
 * @param lends whether a look that {@linkplain Look#borrows borrows} could bring more: the queue has a burst, and was not full as a whole, in which
 *     case it says nothing of who wants its places
 * @param rated whether keys have a rate
 * @param mostKeys so many keys a claim looks at, at most
 * @param learned for the claims that follow
 */
public record KeyedBatch(
        Batch batch,
        long room,
        @Nullable Look next,
        Stop stop,
        boolean keys,
        boolean limited,
        int busy,
        @Nullable Duration untilRate,
        List<String> toCancel,
        boolean lends,
        boolean rated,
        int mostKeys,
        Learned learned) {

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
     * What a claim has learned of keys.
     *
     * @param rule the version of the queue's rule; null: there is none, or it is so young that tokens under it say nothing yet
     * @param seen the version whatever its age; null: there is none
     * @param claimed what was claimed of each key
     * @param lowest the lowest token of each key's jobs that were running before; a key of which none ran is not in it
     * @param lowestOfQueue the same of all that count against the queue's limit; null: none did, or there is no such limit
     */
    public record Learned(
            @Nullable Long rule,
            @Nullable Long seen,
            Map<String, Claimed> claimed,
            Map<String, Long> lowest,
            @Nullable Long lowestOfQueue) {}

    /**
     * What was claimed of a key.
     *
     * @param rank the most urgent, and so the lowest
     * @param id the last of those of this rank
     * @param token the lowest
     */
    public record Claimed(int jobs, int rank, long id, long token) {

        Claimed and(int otherRank, long otherId, long otherToken) {
            boolean last = otherRank < rank || otherRank == rank && otherId > id;
            return new Claimed(jobs + 1, last ? otherRank : rank, last ? otherId : id, Math.min(token, otherToken));
        }
    }

    private static final int TOLD = 15;

    /** The first row is about the claim as a whole: see told in claim.sql. */
    static KeyedBatch read(ResultSet rows, String queue, Look look, int limit, long begun) throws SQLException {
        rows.next();
        Told told = new Told((@Nullable String[]) rows.getArray(TOLD).getArray());
        boolean inTurn = told.flag();
        long room = told.number();
        String key = told.text();
        int rest = (int) told.number();
        boolean keys = told.flag();
        int busy = (int) told.number();
        double wait = told.seconds();
        boolean limited = told.flag();
        boolean lends = told.flag();
        boolean rated = told.flag();
        Long version = told.numberOrNull();
        boolean fresh = told.flag();
        Long lowestOfQueue = told.numberOrNull();
        int mostKeys = (int) told.number();
        double claimedAt = told.seconds();
        List<String> toCancel = told.texts((int) told.number());
        List<String> running = told.texts(told.left() / 2);
        Map<String, Long> lowest = new HashMap<>();
        running.forEach(some -> lowest.put(some, told.number()));
        ClaimedRows claimed = new ClaimedRows(queue, claimedAt, true, version != null);
        Batch batch = claimed.read(rows, limit, begun);
        return new KeyedBatch(
                batch,
                inTurn ? room : limit,
                key == null ? null : new Look(key, rest, true),
                !inTurn ? Stop.OUT_OF_TURN : room == 0 ? Stop.QUEUE_FULL : Stop.NONE,
                keys,
                limited,
                busy,
                wait <= 0 ? null : Duration.ofNanos((long) (wait * 1e9)),
                toCancel,
                lends,
                rated,
                mostKeys,
                new Learned(fresh ? null : version, version, claimed.keys(), lowest, lowestOfQueue));
    }

    /** Texts, one after the other. */
    private static final class Told {

        private final @Nullable String[] texts;
        private int next;

        Told(@Nullable String[] texts) {
            this.texts = texts;
        }

        @Nullable
        String text() {
            return texts[next++];
        }

        boolean flag() {
            return "true".equals(text());
        }

        long number() {
            return Long.parseLong(Objects.requireNonNull(text()));
        }

        @Nullable
        Long numberOrNull() {
            String text = text();
            return text == null ? null : Long.valueOf(text);
        }

        /** Null: zero. */
        double seconds() {
            String text = text();
            return text == null ? 0 : Double.parseDouble(text);
        }

        List<String> texts(int count) {
            List<String> some = List.of(Arrays.copyOfRange(texts, next, next + count));
            next += count;
            return some;
        }

        int left() {
            return texts.length - next;
        }
    }
}
