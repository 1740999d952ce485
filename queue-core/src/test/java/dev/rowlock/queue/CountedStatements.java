package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.Proxies;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Counts what is sent to a database through some data sources. */
final class CountedStatements {

    private final AtomicLong count = new AtomicLong();

    long count() {
        return count.get();
    }

    DataSource of(DataSource target) {
        return new DelegatingDataSource(target) {
            @Override
            public Connection getConnection() throws SQLException {
                return counted(Connection.class, super.getConnection());
            }
        };
    }

    private <T> T counted(Class<T> type, T target) {
        return Proxies.of(type, (proxy, method, arguments) -> {
            if (method.getName().startsWith("execute")) {
                count.incrementAndGet();
            }
            Object answer = Proxies.call(target, method, arguments);
            if (method.getName().equals("unwrap")) {
                return answer;
            }
            return answer instanceof PreparedStatement prepared
                    ? counted(PreparedStatement.class, prepared)
                    : answer instanceof Statement statement ? counted(Statement.class, statement) : answer;
        });
    }
}
