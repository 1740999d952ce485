package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Replication slots that nobody reads and that keep more of the write-ahead log than this. */
public record LeftSlots(long keptBytes) implements Look {

    @Override
    public String sql() {
        return """
                SELECT s.slot_name, quote_literal(s.slot_name) AS literal, s.slot_type, pg_wal_lsn_diff(here.lsn, s.restart_lsn) AS kept_bytes, age(s.xmin) AS holds_back
                  FROM pg_replication_slots s
                  CROSS JOIN (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END AS lsn) here
                 WHERE NOT s.active AND pg_wal_lsn_diff(here.lsn, s.restart_lsn) >= ?
                 ORDER BY 4 DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(keptBytes);
    }
}
