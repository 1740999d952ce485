package dev.rowlock.queue.internal.store.doctor;

/** Whether this role sees what sessions of other roles do: one row if it does not. */
public record MayReadStatistics() implements Look {

    @Override
    public String sql() {
        return """
                SELECT current_user AS role WHERE NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
                """;
    }
}
