package dev.rowlock.queue.internal.janitor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.dao.DataAccessException;

/**
 * Does to some rows in ever smaller parts what failed for all of them together: one row that a trigger or constraint refuses, or
 * that cannot be read, must not keep the others. One use, one thread.
 */
final class Apart<T> {

    /** When so many fail alone and nothing works, no row is to blame. */
    private static final int ENOUGH = 10;

    private final Consumer<List<T>> work;
    private final RuntimeException together;
    private final Map<T, RuntimeException> refused = new LinkedHashMap<>();
    private boolean works; // for some

    private Apart(Consumer<List<T>> work, RuntimeException together) {
        this.work = work;
        this.together = together;
    }

    /**
     * Returns the rows that fail alone, and why.
     *
     * @param together how all of them failed; thrown again if it works for none, or if it is not about rows
     */
    static <T> Map<T, RuntimeException> run(List<T> rows, Consumer<List<T>> work, RuntimeException together) {
        Apart<T> apart = new Apart<>(work, together);
        apart.requireAnswer(together);
        List<T> mixed = new ArrayList<>(rows);
        Collections.shuffle(mixed); // those to blame may stand side by side
        apart.halve(mixed);
        apart.requireSuccess(1);
        return apart.refused;
    }

    private void halve(List<T> rows) {
        int half = rows.size() / 2;
        if (half > 0) {
            attempt(rows.subList(0, half));
        }
        attempt(rows.subList(half, rows.size()));
    }

    private void attempt(List<T> rows) {
        if (rows.isEmpty()) {
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
                refused.put(rows.get(0), e);
                requireSuccess(ENOUGH);
            }
        }
    }

    private void requireSuccess(int refusals) {
        if (!works && refused.size() >= refusals) {
            throw together;
        }
    }

    /** Where the server does not answer, or goes down, each further try would only wait. */
    private void requireAnswer(RuntimeException e) {
        Throwable cause = e instanceof DataAccessException access ? access.getMostSpecificCause() : e;
        String state = cause instanceof SQLException sql ? sql.getSQLState() : null;
        if (state == null || state.startsWith("08") || state.startsWith("57P")) {
            throw e;
        }
    }
}
