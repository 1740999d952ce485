package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Stop;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a claim's walk through the keys has found: the answer of {@link KeyedWalkSql}.
 *
 * @param last the last key that has jobs
 * @param reached how far it came: that key, or a known one behind it that has none
 * @param end whether there is no other key behind
 * @param inTurn false: others are filling the queue, so that this has looked at no key
 * @param parts what the queue's rule has
 * @param locks how many locks the server has room for
 * @param at when it was, as an epoch in seconds
 */
record KeyedWalk(
        @Nullable String last,
        @Nullable String reached,
        boolean end,
        boolean limited,
        boolean inTurn,
        int busy,
        @Nullable Duration untilRate,
        List<String> toCancel,
        boolean lends,
        @Nullable Long rule,
        boolean fresh,
        boolean inOrder,
        Set<RulePart> parts,
        long locks,
        double at) {

    private static final int IN_TURN = 4;
    private static final int BUSY = 5;
    private static final int LAST = 6;
    private static final int REACHED = 7;
    private static final int END = 8;
    private static final int AT = 9;
    private static final int OF_QUEUE = 10;
    private static final int UNTIL_RATE = 11;
    private static final int TO_CANCEL = 12;
    private static final int LENDS = 13;
    private static final int RULE = 14;
    private static final int FRESH = 15;
    private static final int IN_ORDER = 16;
    private static final int PARTS = 17;
    private static final int LOCKS = 18;

    static KeyedWalk read(ResultSet row) throws SQLException {
        row.next();
        double wait = row.getDouble(UNTIL_RATE); // zero: null
        return new KeyedWalk(
                row.getString(LAST),
                row.getString(REACHED),
                row.getBoolean(END),
                row.getBoolean(OF_QUEUE),
                row.getBoolean(IN_TURN),
                row.getInt(BUSY),
                wait <= 0 ? null : Duration.ofNanos((long) (wait * 1e9)),
                Columns.textList(row, TO_CANCEL),
                row.getBoolean(LENDS),
                Columns.number(row, RULE),
                row.getBoolean(FRESH),
                row.getBoolean(IN_ORDER),
                RulePart.of(row.getInt(PARTS)),
                row.getLong(LOCKS),
                row.getDouble(AT));
    }

    /**
     * What the claim brought.
     *
     * @param most it could bring no more
     */
    KeyedBatch with(Batch batch, ClaimedRows rows, Turn turn, long most) {
        if (!inTurn) {
            return batch(batch, most, turn, Stop.OUT_OF_TURN, rows);
        }
        if (most == 0) {
            return batch(batch, most, turn, Stop.QUEUE_FULL, rows);
        }
        if (batch.jobs().size() < most) {
            return batch(batch, most, end || reached == null ? null : new Turn(reached, 0, true), Stop.NONE, rows);
        }
        Turn full = rows.lastTurn(turn); // keys behind the last one that got a job got nothing
        boolean round = end && full.rest() == 0 && full.key().equals(last);
        return batch(batch, most, round ? null : full, Stop.NONE, rows);
    }

    private KeyedBatch batch(Batch batch, long most, @Nullable Turn next, Stop stop, ClaimedRows rows) {
        return new KeyedBatch(
                batch,
                most,
                next,
                stop,
                last != null,
                limited,
                busy,
                untilRate,
                toCancel,
                lends,
                rows.learned(rule, fresh, inOrder));
    }
}
