package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls the schema's functions as psql, triggers and other languages do. */
@PostgresTest(migrated = true)
abstract class SqlCalls {

    record Invoice(long orderId) {}

    final TestDatabase test;
    final Rooms rooms;
    final JdbcClient sql;
    final TransactionTemplate transaction;

    SqlCalls(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        sql = JdbcClient.create(test.dataSource());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    long number(String query) {
        return sql.sql(query).query(long.class).single();
    }

    String text(String query, long id) {
        return sql.sql(query.formatted(id)).query(String.class).optional().orElse(null);
    }

    boolean truth(String query, long id) {
        return sql.sql(query.formatted(id)).query(boolean.class).single();
    }

    void execute(String statement) {
        rooms.execute(statement);
    }

    static List<String> heard(Connection listening) throws SQLException {
        return Arrays.stream(listening.unwrap(PGConnection.class).getNotifications(10_000))
                .map(PGNotification::getParameter)
                .toList();
    }
}
