package dev.rowlock.queue.internal.store.doctor;

/** One row, whatever the state of the tables. */
public record AnyAnswer() implements Look {

    @Override
    public String sql() {
        return "SELECT 1 AS answer";
    }
}
