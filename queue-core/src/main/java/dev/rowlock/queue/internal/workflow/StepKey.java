package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Row;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** One step of one workflow. */
record StepKey(long workflow, int step) {

    /** From the first two columns. */
    static final Row<StepKey> ROW = row -> new StepKey(row.getLong(1), row.getInt(2));

    /** Two arrays, from this parameter on. */
    static void set(PreparedStatement statement, int from, Collection<StepKey> steps) throws SQLException {
        List<StepKey> some = List.copyOf(steps);
        statement.setObject(from, Columns.longs(some, StepKey::workflow));
        statement.setObject(from + 1, some.stream().mapToInt(StepKey::step).toArray());
    }
}
