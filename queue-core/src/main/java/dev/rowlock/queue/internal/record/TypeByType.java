package dev.rowlock.queue.internal.record;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Finds out whether the database or some outcomes are to blame for a failed write: what cannot be written most often is of one type. */
final class TypeByType {

    /** After as many types in a row that cannot be written, the database seems to be away. */
    private static final int FAILED_TYPES = 2;

    /**
     * What is left.
     *
     * @param others whether others can be written, or could be if there were any
     */
    record Left(List<PendingOutcome> failed, boolean others) {}

    private TypeByType() {}

    /**
     * Tries each type by itself.
     *
     * @param attempt returns what of them could not be written because nothing could
     * @param writable whether anything could be written now
     */
    static Left attempt(
            List<PendingOutcome> entries, UnaryOperator<List<PendingOutcome>> attempt, BooleanSupplier writable) {
        Collection<List<PendingOutcome>> types = entries.stream()
                .collect(Collectors.groupingBy(entry -> entry.job().type()))
                .values();
        List<PendingOutcome> failed = new ArrayList<>();
        boolean others = false;
        int left = types.size() == 1 ? 0 : FAILED_TYPES; // the only one has just been tried
        for (List<PendingOutcome> part : types) {
            List<PendingOutcome> still = others || left > 0 ? attempt.apply(part) : part;
            others |= still.size() < part.size();
            left--;
            failed.addAll(still);
        }
        return new Left(failed, others || !failed.isEmpty() && writable.getAsBoolean());
    }
}
