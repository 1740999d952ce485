package dev.rowlock.queue.schema;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

public final class Pools {

    private Pools() {}

    /** A pool that hands out one connection at a time, and fails soon if a second is wanted. */
    public static HikariDataSource ofOne(DataSource dataSource) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(1_000);
        return new HikariDataSource(config);
    }
}
