package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.internal.doctor.Check.Case;
import dev.rowlock.queue.internal.store.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * Two connections of this source that share a process of the server: somebody between, such as PgBouncer in transaction mode, gives
 * it to whoever begins a transaction. Opens two connections only where there is somebody between.
 */
record SharedBackend(DataSource source) implements Look {

    @Override
    public String sql() {
        return "SELECT pg_backend_pid()";
    }

    // The driver is told a number of a process when it connects; somebody between makes one up. Then a second
    // connection begins a
    // transaction: either it is given the process that the first one has just had, or the first one gets another
    // process now.
    @Override
    public List<Case> run(Connection examining, Schema schema) throws SQLException {
        try (Connection first = source.getConnection()) {
            int before = backend(first);
            if (first.unwrap(PGConnection.class).getBackendPID() == before) {
                return List.of();
            }
            try (Connection second = source.getConnection()) {
                second.setAutoCommit(false);
                int held = backend(second);
                int after = held == before ? held : backend(first);
                second.rollback();
                return held == before || after != before
                        ? List.of(new Case(Map.of(
                                "first_connection", Integer.toString(before),
                                "second_connection", Integer.toString(held),
                                "first_connection_again", Integer.toString(after))))
                        : List.of();
            }
        }
    }

    private int backend(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }
}
