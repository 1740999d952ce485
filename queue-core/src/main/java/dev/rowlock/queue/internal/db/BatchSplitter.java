package dev.rowlock.queue.internal.db;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Does to some rows in ever smaller parts what failed for all of them together: one row that a trigger or constraint refuses, or
 * that cannot be read, must not keep the others. One use, one thread.
 */
public final class BatchSplitter<T> {

    /** When so many fail alone and nothing works, no row is to blame. */
    private static final int ENOUGH = 10;

    /** When so many take too long and nothing works, the server is too slow. */
    private static final int ENOUGH_SLOW = 3;

    /** When so many are refused for what is in them and nothing works, the rest is left for another time. */
    private static final int MANY = 100;

    /** SQLSTATE classes by which the server refuses a value or a row, what triggers raise among them. */
    private static final Set<String> REFUSALS = Set.of("21", "22", "23", "27", "38", "39", "44", "54", "P0");

    /** SQLSTATE classes: resources, transactions that were rolled back, objects in use, transaction states such as read-only. */
    private static final Set<String> OF_THE_SERVER = Set.of("53", "40", "55", "25");

    /** A page or an index entry that cannot be read. */
    private static final Set<String> CORRUPTED = Set.of("XX001", "XX002");

    private final Consumer<List<T>> work;
    private final RuntimeException together;
    private final Map<T, RuntimeException> refused = new LinkedHashMap<>();
    private int failed; // alone, the refused among them
    private boolean ofRows; // the refusals may prove that rows are to blame, though it works for none
    private boolean works; // for some
    private boolean stopped;

    private BatchSplitter(Consumer<List<T>> work, RuntimeException together, boolean ofRows) {
        this.work = work;
        this.together = together;
        this.ofRows = ofRows;
    }

    /**
     * Returns the rows that fail alone, and why; not those that fail because the disk is full, for instance, while others
     * still find a place: they will work the next time, like all others.
     *
     * @param together how all of them failed; thrown again if it works for none, or if it is not about rows
     */
    public static <T> Map<T, RuntimeException> run(List<T> rows, Consumer<List<T>> work, RuntimeException together) {
        return new BatchSplitter<>(work, together, false).run(rows);
    }

    /**
     * The same for who can leave the refused rows aside: it may work for none of them, as long as each is refused for what is in it.
     * Then some are returned, and others have not been tried.
     *
     * @param together thrown again if something else is the matter
     */
    public static <T> Map<T, RuntimeException> refused(
            List<T> rows, Consumer<List<T>> work, RuntimeException together) {
        return new BatchSplitter<>(work, together, true).run(rows);
    }

    /**
     * Does it to each row alone, where one row alone has taken longer than a statement may: others need not take as long. Not to all
     * of them if several take too long.
     *
     * @param together how one failed; thrown again if it works for none
     * @return the rows that failed, and why
     */
    public static <T> Map<T, RuntimeException> singly(List<T> rows, Consumer<T> work, RuntimeException together) {
        List<T> mixed = new ArrayList<>(rows);
        Collections.shuffle(mixed); // the next time it meets others first
        Map<T, RuntimeException> failed = new LinkedHashMap<>();
        boolean works = false;
        for (T row : mixed) {
            try {
                work.accept(row);
                works = true;
            } catch (RuntimeException e) {
                if (!BatchLimit.outOfTime(e)) {
                    requireAnswer(e);
                }
                failed.put(row, e);
                if (failed.size() >= (works ? ENOUGH : ENOUGH_SLOW)) {
                    break;
                }
            }
        }
        if (!works) {
            throw together;
        }
        return failed;
    }

    private Map<T, RuntimeException> run(List<T> rows) {
        requireAnswer(together);
        List<T> mixed = new ArrayList<>(rows);
        Collections.shuffle(mixed); // those to blame may stand side by side
        halve(mixed);
        requireSuccess(1);
        return refused;
    }

    private void halve(List<T> rows) {
        int half = rows.size() / 2;
        if (half > 0) {
            attempt(rows.subList(0, half));
        }
        attempt(rows.subList(half, rows.size()));
    }

    private void attempt(List<T> rows) {
        if (rows.isEmpty() || stopped) {
            return;
        }
        try {
            work.accept(rows);
            works = true;
        } catch (RuntimeException e) {
            requireAnswer(e);
            if (rows.size() > 1) {
                halve(rows);
            } else {
                failed++;
                if (isOfTheServer(e)) {
                    ofRows = false;
                } else {
                    refused.put(rows.get(0), e);
                }
                requireSuccess(ENOUGH);
            }
        }
    }

    private void requireSuccess(int refusals) {
        if (works || failed < refusals) {
            return;
        }
        if (!ofRows || !refused.values().stream().allMatch(BatchSplitter::isOfARow)) {
            throw together;
        }
        stopped = failed >= MANY;
    }

    /** Whether the server refuses something for what is in a row. */
    public static boolean isOfARow(RuntimeException refusal) {
        String state = state(refusal);
        return state != null
                && state.length() == 5
                && (REFUSALS.contains(state.substring(0, 2)) || CORRUPTED.contains(state));
    }

    /** Whether something else than a row is to blame for certain: disk or memory, or who else is at work, or who may write. */
    private static boolean isOfTheServer(RuntimeException refusal) {
        String state = state(refusal);
        return state != null && OF_THE_SERVER.stream().anyMatch(state::startsWith);
    }

    /** Where the server does not answer in time, or goes down, each further try would only wait. */
    public static void requireAnswer(RuntimeException e) {
        String state = state(e);
        if (state == null || state.startsWith("08") || state.startsWith("57")) {
            throw e;
        }
    }

    static @Nullable String state(RuntimeException e) {
        Throwable cause = e instanceof DataAccessException access ? access.getMostSpecificCause() : e;
        return cause instanceof SQLException sql ? sql.getSQLState() : null;
    }
}
