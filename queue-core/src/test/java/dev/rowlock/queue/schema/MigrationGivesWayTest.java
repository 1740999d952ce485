package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.schema.SchemaMigrator.LockRetry;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A migration that waits for a lock stands in the way of all claims behind it. Somebody who reads a table for long must not stop
 * the queue by that.
 */
@PostgresTest(freshPerTest = true)
class MigrationGivesWayTest {

    static final SchemaScript GIVES_WAY = new SchemaScript(9001, "gives way", List.of("upgrade/gives_way.sql"));

    private static final List<SchemaScript> RELEASE =
            Stream.concat(SchemaScript.ALL.stream(), Stream.of(GIVES_WAY)).toList();

    private static final String MIGRATION_WAITS = """
            SELECT EXISTS (SELECT FROM pg_locks
                            WHERE relation = 'rowlock.ready'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted)
            """;

    /** Fails where it would otherwise stand behind a migration that does not give way. */
    private static final String ENQUEUE = "SET lock_timeout = '10s'; SELECT rowlock.enqueue('count', '{}'::json)";

    private final DataSource dataSource;
    private final DataSource unpooled;
    private final JdbcClient jdbc;

    MigrationGivesWayTest(TestDatabase database) {
        dataSource = database.dataSource();
        unpooled = database.unpooled();
        jdbc = JdbcClient.create(dataSource);
    }

    @Test
    void jobsRunWhileAMigrationAndALongReaderStandInEachOthersWay() throws Exception {
        migrator(SchemaScript.ALL, Duration.ZERO).run();
        AtomicInteger ran = new AtomicInteger();
        try (Rowlock rowlock = Rowlock.builder(dataSource)
                        .schemaElsewhere()
                        .listener(ListenerDefinition.of("count", (context, payload) -> ran.incrementAndGet()))
                        .build();
                Connection reader = reading()) {
            rowlock.start();
            CompletableFuture<Void> migration = CompletableFuture.runAsync(
                    () -> migrator(RELEASE, Duration.ofMinutes(2)).run());

            for (int round = 1; round <= 5; round++) {
                await().pollInterval(Duration.ofMillis(5)).until(this::migrationWaits);
                new JdbcTemplate(unpooled).execute(ENQUEUE);
                await().untilAsserted(() -> assertThat(ran).hasPositiveValue());
                ran.set(0);
            }
            assertThat(migration).isNotDone();

            reader.rollback();
            migration.get(1, TimeUnit.MINUTES);
        }
        assertThat(jdbc.sql("SELECT count(*) FROM rowlock.ready WHERE colour IS NULL")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void aMigrationThatGivesWayForTooLongSaysSoAndLeavesNothingHalfDone() throws Exception {
        migrator(SchemaScript.ALL, Duration.ZERO).run();
        try (Connection reader = reading()) {
            assertThatThrownBy(() -> migrator(RELEASE, Duration.ZERO).run())
                    .isInstanceOf(SchemaLockedException.class)
                    .hasMessageContaining("'rowlock'");

            reader.rollback();
        }
        new SchemaMigrator(dataSource, "rowlock", SchemaMode.VALIDATE).run();
        migrator(RELEASE, Duration.ZERO).run();
    }

    private boolean migrationWaits() {
        return jdbc.sql(MIGRATION_WAITS).query(Boolean.class).single();
    }

    private Connection reading() throws SQLException {
        Connection reader = dataSource.getConnection();
        reader.setAutoCommit(false);
        try (Statement statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM rowlock.ready");
        }
        return reader;
    }

    private SchemaMigrator migrator(List<SchemaScript> scripts, Duration longest) {
        return new SchemaMigrator(
                dataSource, "rowlock", SchemaMode.MIGRATE, scripts, new LockRetry(longest, Duration.ofMillis(100)));
    }
}
