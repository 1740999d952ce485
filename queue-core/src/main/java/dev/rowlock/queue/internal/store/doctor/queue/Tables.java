package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.doctor.Look;

/** One row if the tables of Rowlock are there and this role sees them. */
public record Tables() implements Look {

    @Override
    public String sql() {
        return """
                SELECT true AS there WHERE to_regclass('rowlock.ready') IS NOT NULL
                """;
    }
}
