package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A clock of the database that stands still until a test sets it. It is a function of the same name as PostgreSQL's, in a schema
 * that is searched before PostgreSQL's own.
 */
public final class FrozenClock {

    private static final String INSTALL = """
            CREATE SCHEMA frozen;
            CREATE TABLE frozen.clock (now timestamptz NOT NULL);
            INSERT INTO frozen.clock VALUES ('2026-11-22T10:00:00Z');
            CREATE FUNCTION frozen.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now FROM frozen.clock';
            """;

    /** The partitions that Rowlock makes are those of the true day and the next ones. */
    private static final String ANY_DAY =
            "CREATE TABLE IF NOT EXISTS frozen.done_on_any_day PARTITION OF rowlock.done DEFAULT";

    private final JdbcClient sql;

    /** The clock of a database that several tests have, one after the other. */
    public static FrozenClock in(TestDatabase database) throws SQLException {
        boolean there = JdbcClient.create(database.unpooled())
                .sql("SELECT to_regnamespace('frozen') IS NOT NULL")
                .query(boolean.class)
                .single();
        return there ? new FrozenClock(JdbcClient.create(database.dataSource())) : new FrozenClock(database);
    }

    private FrozenClock(JdbcClient sql) {
        this.sql = sql;
    }

    /** Before the first pooled connection is opened. */
    public FrozenClock(TestDatabase database) throws SQLException {
        try (Connection connection = database.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(INSTALL);
        }
        JdbcClient.create(database.superuser())
                .sql("ALTER DATABASE " + database.name() + " SET search_path = frozen, pg_catalog")
                .update();
        this.sql = JdbcClient.create(database.dataSource());
    }

    public void set(String now) {
        set(Instant.parse(now));
    }

    public void set(Instant now) {
        sql.sql(ANY_DAY).update();
        sql.sql("UPDATE frozen.clock SET now = ?")
                .param(now.atOffset(ZoneOffset.UTC))
                .update();
    }

    public void advance(Duration by) {
        set(now().plus(by));
    }

    public Instant now() {
        return sql.sql("SELECT now FROM frozen.clock")
                .query(java.time.OffsetDateTime.class)
                .single()
                .toInstant();
    }
}
