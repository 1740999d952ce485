package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Row;
import java.util.Collection;

/** One step of one workflow. */
record StepKey(long workflow, int step) {

    /** From the first two columns. */
    static final Row<StepKey> ROW = row -> new StepKey(row.getLong(1), row.getInt(2));

    /** One of the two arrays that name some steps. */
    static long[] workflows(Collection<StepKey> steps) {
        return steps.stream().mapToLong(StepKey::workflow).toArray();
    }

    /** The other one. */
    static int[] numbers(Collection<StepKey> steps) {
        return steps.stream().mapToInt(StepKey::step).toArray();
    }
}
