package dev.rowlock.queue.internal.store.doctor;

/** Why nothing can be written: the server is a standby, or transactions are read-only unless they say otherwise. */
public record ReadOnlyServer() implements Look {

    @Override
    public String sql() {
        return """
                SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS read_only
                 WHERE pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'
                """;
    }
}
