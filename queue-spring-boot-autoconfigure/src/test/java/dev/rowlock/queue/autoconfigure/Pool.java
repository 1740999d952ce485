package dev.rowlock.queue.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** DataSources that applications have. */
enum Pool {
    HIKARI(target -> hikari(target, true)),
    HIKARI_WITHOUT_AUTO_COMMIT(target -> hikari(target, false)),
    HIKARI_OF_DRIVERS_DATA_SOURCE(Pool::hikariOfDriversDataSource),
    TOMCAT(target -> tomcat(target, true)),
    TOMCAT_WITHOUT_AUTO_COMMIT(target -> tomcat(target, false)),
    DBCP(target -> dbcp(target, true)),
    DBCP_WITHOUT_AUTO_COMMIT(target -> dbcp(target, false)),
    NONE(target -> new SimpleDriverDataSource(new Driver(), target.url(), target.user(), target.password())),
    BEHIND_LAZY_PROXY(target -> new LazyConnectionDataSourceProxy(hikari(target, true))),
    BEHIND_TRANSACTION_PROXY(target -> new TransactionAwareDataSourceProxy(hikari(target, true)));

    private static final int SIZE = 6;

    private record Target(String url, String user, String password) {}

    /** What makes such a pool of a target. */
    private interface Maker {
        DataSource of(Target target);
    }

    private final Maker maker;

    Pool(Maker maker) {
        this.maker = maker;
    }

    /** Of this database, by its URL with more in it. */
    DataSource of(TestDatabase database, UnaryOperator<String> url) {
        return maker.of(new Target(url.apply(database.jdbcUrl()), database.username(), database.password()));
    }

    /** Hikari's as it is without settings, not yet opened. */
    static HikariDataSource hikari(TestDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.username());
        pool.setPassword(database.password());
        return pool;
    }

    private static HikariDataSource hikari(Target target, boolean autoCommit) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(target.url());
        pool.setUsername(target.user());
        pool.setPassword(target.password());
        pool.setMaximumPoolSize(SIZE);
        pool.setMinimumIdle(0);
        pool.setAutoCommit(autoCommit);
        return pool;
    }

    private static HikariDataSource hikariOfDriversDataSource(Target target) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSourceClassName(PGSimpleDataSource.class.getName());
        pool.addDataSourceProperty("url", target.url());
        pool.setUsername(target.user());
        pool.setPassword(target.password());
        pool.setMaximumPoolSize(SIZE);
        pool.setMinimumIdle(0);
        return pool;
    }

    private static DataSource tomcat(Target target, boolean autoCommit) {
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
        pool.setDriverClassName(Driver.class.getName());
        pool.setUrl(target.url());
        pool.setUsername(target.user());
        pool.setPassword(target.password());
        pool.setMaxActive(SIZE);
        pool.setInitialSize(0);
        pool.setDefaultAutoCommit(autoCommit);
        return pool;
    }

    private static BasicDataSource dbcp(Target target, boolean autoCommit) {
        BasicDataSource pool = new BasicDataSource();
        pool.setUrl(target.url());
        pool.setUsername(target.user());
        pool.setPassword(target.password());
        pool.setMaxTotal(SIZE);
        pool.setDefaultAutoCommit(autoCommit);
        return pool;
    }
}
