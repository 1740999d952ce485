package dev.rowlock.queue.benchmark.peer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.connection.InstantPeekSocketFactory;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of a run. */
public record Target(String jdbcUrl, String username, String password) {

    /** A pool of this many connections, all open. The caller closes it. */
    public HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(username);
        config.setPassword(password);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(60_000);
        return new HikariDataSource(config);
    }

    /** Opens a new connection each time, as the starter does beside the pool. */
    public DataSource unpooled() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl);
        dataSource.setUser(username);
        dataSource.setPassword(password);
        dataSource.setTcpKeepAlive(true);
        dataSource.setSocketFactory(InstantPeekSocketFactory.class.getName());
        return dataSource;
    }

    /** As Node's drivers want it. */
    public String uri() {
        String address = jdbcUrl.substring("jdbc:postgresql://".length());
        return "postgres://" + username + (password.isEmpty() ? "" : ":" + password) + "@" + address;
    }
}
