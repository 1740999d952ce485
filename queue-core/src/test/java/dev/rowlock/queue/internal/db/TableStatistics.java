package dev.rowlock.queue.internal.db;

import java.util.List;

/** What the planner is told about tables that are full: right, or wrong in one of several ways. */
public enum TableStatistics {
    FRESH("ANALYZE rowlock.%1$s"),
    NONE(
            "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid = 'rowlock.%1$s'::regclass",
            "DELETE FROM pg_statistic WHERE starelid = 'rowlock.%1$s'::regclass"),
    OF_AN_EMPTY_TABLE(
            "UPDATE pg_class SET reltuples = 0, relpages = 0 WHERE oid = 'rowlock.%1$s'::regclass",
            "DELETE FROM pg_statistic WHERE starelid = 'rowlock.%1$s'::regclass"),
    /** Vacuumed when all rows were gone and their pages still there. */
    OF_AN_EMPTIED_TABLE(
            "UPDATE pg_class SET reltuples = 0, relpages = 5000 WHERE oid = 'rowlock.%1$s'::regclass",
            "DELETE FROM pg_statistic WHERE starelid = 'rowlock.%1$s'::regclass"),
    OF_TEN_MILLIONS(
            "ANALYZE rowlock.%1$s",
            "UPDATE pg_class SET reltuples = 1e7, relpages = 1000 WHERE oid = 'rowlock.%1$s'::regclass");

    private final List<String> statements;

    TableStatistics(String... statements) {
        this.statements = List.of(statements);
    }

    public void tell(Rooms rooms, List<String> tables) {
        for (String table : tables) {
            statements.forEach(statement -> rooms.asSuperuser(statement.formatted(table)));
        }
    }
}
