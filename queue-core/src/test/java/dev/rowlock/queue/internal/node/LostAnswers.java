package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.db.Proxies;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A pool on which one claim is committed without its node hearing of it, as when the connection breaks just then. */
public final class LostAnswers {

    private final DataSource pool;
    private final AtomicBoolean armed = new AtomicBoolean();
    private final CountDownLatch lost = new CountDownLatch(1);

    public LostAnswers(DataSource pool) {
        this.pool = pool;
    }

    /** The next claim that finds a job never hears of it. */
    public void loseTheNextClaim() {
        armed.set(true);
    }

    public void awaitLost() throws InterruptedException {
        lost.await();
    }

    public DataSource dataSource() {
        return Proxies.of(DataSource.class, (self, method, arguments) -> {
            Object result = Proxies.call(pool, method, arguments);
            return result instanceof Connection connection ? connection(connection) : result;
        });
    }

    private Connection connection(Connection connection) {
        return Proxies.of(Connection.class, (self, method, arguments) -> {
            Object result = Proxies.call(connection, method, arguments);
            return result instanceof PreparedStatement statement ? statement(statement) : result;
        });
    }

    /** The statement is its own transaction: once there are rows to read, it is committed. */
    private PreparedStatement statement(PreparedStatement statement) {
        return Proxies.of(PreparedStatement.class, (self, method, arguments) -> {
            Object result = Proxies.call(statement, method, arguments);
            if (result instanceof ResultSet rows && hasClaims(rows) && armed.getAndSet(false)) {
                lost.countDown();
                throw new SQLException("the connection broke before the answer", "08006");
            }
            return result;
        });
    }

    private static boolean hasClaims(ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        return columns.getColumnCount() > 1
                && columns.getColumnName(1).equals("id")
                && columns.getColumnName(2).equals("token")
                && rows.isBeforeFirst();
    }
}
