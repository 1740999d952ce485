package dev.rowlock.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** The connections of one node. Once they are cut, the node is dead for the database and for all others, and has said nothing. */
final class Cable extends AbstractDataSource {

    private final DataSource source;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    Cable(DataSource source) {
        this.source = source;
    }

    boolean isCut() {
        return cut;
    }

    void cut() throws SQLException {
        cut = true;
        for (Connection connection : open) {
            connection.abort(Runnable::run);
        }
    }

    /** Connections can be opened again. */
    void mend() {
        cut = false;
    }

    @Override
    public Connection getConnection() throws SQLException {
        requireWhole();
        Connection connection = source.getConnection();
        open.add(connection);
        if (cut) {
            connection.abort(Runnable::run); // nobody has told us apart from those that were there
        }
        requireWhole();
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new UnsupportedOperationException("the source knows its user");
    }

    private void requireWhole() throws SQLException {
        if (cut) {
            throw new SQLNonTransientConnectionException("the cable is cut", "08001");
        }
    }
}
