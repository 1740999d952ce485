package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.Measurements;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Claims, outcomes and all other statements work as usual, whatever options the driver has and whatever defaults role,
 * database and pool set. Each build tries a few kinds; {@code -Drowlock.test.settings=all} tries all of them.
 */
@PostgresTest(migrated = true)
class ConnectionSettingsTest {

    private static final String DEFAULT = "options=-c%20default_transaction_";

    /** Those that have broken something, and what an application most likely has. */
    private static final List<String> SAMPLE = List.of(
            "",
            "auto-commit=false",
            "stringtype=unspecified",
            "stringtype=unspecified auto-commit=false",
            "preferQueryMode=simple",
            "prepareThreshold=-1",
            DEFAULT + "isolation=serializable",
            "isolation=TRANSACTION_REPEATABLE_READ auto-commit=false",
            "read-only=true");

    private static final List<String> MORE = List.of(
            "preferQueryMode=simple auto-commit=false",
            "preferQueryMode=extendedForPrepared",
            "preferQueryMode=extendedCacheEverything",
            "prepareThreshold=0",
            "prepareThreshold=1 stringtype=unspecified",
            "preparedStatementCacheQueries=0",
            "autosave=always",
            "autosave=always auto-commit=false",
            "autosave=conservative stringtype=unspecified auto-commit=false",
            "binaryTransfer=false",
            "reWriteBatchedInserts=true",
            "assumeMinServerVersion=14",
            "ApplicationName=shop",
            "defaultRowFetchSize=1",
            "defaultRowFetchSize=1 auto-commit=false",
            "defaultRowFetchSize=2 adaptiveFetch=true maxResultBuffer=10M auto-commit=false",
            "readOnlyMode=always read-only=true",
            "readOnlyMode=ignore read-only=true",
            "read-only=true stringtype=unspecified",
            "options=-c%20statement_timeout=20s%20-c%20lock_timeout=15s",
            "options=-c%20plan_cache_mode=force_custom_plan%20-c%20jit=on",
            DEFAULT + "isolation=serializable auto-commit=false",
            DEFAULT + "isolation=repeatable%5C%20read stringtype=unspecified",
            DEFAULT + "deferrable=on",
            "isolation=TRANSACTION_SERIALIZABLE preferQueryMode=simple",
            "logUnclosedConnections=true disableColumnSanitiser=true");

    private final TestDatabase test;
    private final Rooms usual;

    ConnectionSettingsTest(TestDatabase test) {
        this.test = test;
        usual = Rooms.emptyIn(test);
    }

    static Stream<String> settings() {
        return "all".equals(System.getProperty("rowlock.test.settings"))
                ? Stream.concat(SAMPLE.stream(), MORE.stream())
                : SAMPLE.stream();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void jobsMoveAsEver(String settings) {
        try (HikariDataSource pool = pool(settings)) {
            Rooms rooms = new Rooms(new Database(pool, new Schema("rowlock")));
            long node = rooms.node();
            // The driver treats a statement otherwise when it knows it.
            for (int round = 0; round < 3; round++) {
                moveAll(rooms, node);
            }

            assertThat(usual.count("running")).isZero();
        }
    }

    private void moveAll(Rooms rooms, long node) {
        Database database = rooms.database();
        rooms.ready(110);
        rooms.large(2, 5_000);
        rooms.waiting(Due.after(Duration.ZERO));
        rooms.unique(UniqueKey.of("order-1"));
        assertThat(rooms.unique(UniqueKey.of("order-1")).created()).isFalse();
        assertThat(new DispatchDueJobs(database).run(1_000).jobs()).isEqualTo(1);

        List<ClaimedJob> many = rooms.claim(node, 1_000);
        assertThat(many).hasSize(114);
        rooms.ready(10);
        List<ClaimedJob> few = rooms.claim(node, 10);
        assertThat(few).hasSize(10);

        Claim held = few.get(0).claim();
        assertThat(new ClaimStatements(database).progress(held, 50, "half")).isTrue();
        assertThat(new ClaimStatements(database).extend(held, Duration.ofHours(1)))
                .isPresent();
        assertThat(new ClaimStatements(database).payload(held)).isPresent();
        assertThat(new JobStatements(database).requestCancel(few.get(3).id(), null))
                .isTrue();
        new Measurements(database).depth();

        rooms.bury(held);
        rooms.defer(few.get(1).claim(), Due.after(Duration.ofDays(1)));
        assertThat(new OutcomeStatements(database, true)
                        .release(List.of(few.get(2).claim()))
                        .held())
                .hasSize(1);
        assertThat(rooms.claim(node, 10)).hasSize(1).allSatisfy(again -> rooms.complete(again, true));
        assertThat(new JobStatements(database).redrive(held.jobId(), null)).isTrue();
        assertThat(new JobStatements(database).cancelIdle(held.jobId(), null)).isTrue();
        new OutcomeStatements(database, true)
                .finish(
                        Stream.concat(many.stream(), few.subList(3, 10).stream())
                                .map(job -> new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, "{}"))
                                .toList(),
                        true);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void anOutcomeThatIsBlockedGivesUpSoon(String settings) throws SQLException {
        try (HikariDataSource pool = pool(settings);
                Connection business = test.unpooled().getConnection()) {
            Database database = new Database(pool, new Schema("rowlock"));
            for (int round = 0; round < 3; round++) {
                ClaimedJob job = usual.running();
                OutcomeStatements finish = new OutcomeStatements(database, true);
                List<OutcomeStatements.Finished> outcome =
                        List.of(new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, null));

                if (round == 2) { // when the driver knows the statement
                    business.setAutoCommit(false);
                    try (Statement statement = business.createStatement()) {
                        statement.execute("SELECT FROM rowlock.running WHERE id = %d FOR UPDATE".formatted(job.id()));
                    }
                    assertThatThrownBy(() -> finish.finish(outcome, true)).hasStackTraceContaining("lock timeout");
                    business.rollback();
                }

                assertThat(finish.finish(outcome, true)).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void ownTransactionsAreReadCommittedAndWritableAndLeaveNoTrace(String settings) {
        try (HikariDataSource pool = pool(settings)) {
            Database database = new Database(pool, new Schema("rowlock"));
            String before = outside(pool);

            for (int round = 0; round < 3; round++) {
                assertThat(database.<String>alone(ConnectionSettingsTest::transaction))
                        .isEqualTo("read committed, off");
                assertThat(database.<String>atomically(ConnectionSettingsTest::transaction))
                        .isEqualTo("read committed, off");
                assertThat(database.<String>joined(ConnectionSettingsTest::transaction))
                        .isEqualTo("read committed, off");
                assertThatThrownBy(() -> database.alone(connection -> {
                            throw new SQLException("no");
                        }))
                        .isInstanceOf(DataAccessException.class);
            }

            assertThat(outside(pool)).isEqualTo(before);
        }
    }

    /** That is how operators stop all writing, and providers when a disk is full. */
    @ParameterizedTest
    @ValueSource(strings = {"", " stringtype=unspecified", " auto-commit=false", " isolation=TRANSACTION_SERIALIZABLE"})
    void aReadOnlyDefaultOfRoleDatabaseOrServerHolds(String settings) {
        try (HikariDataSource pool = pool(DEFAULT + "read_only=on" + settings)) {
            Rooms rooms = new Rooms(new Database(pool, new Schema("rowlock")));

            assertThatThrownBy(() -> rooms.ready(1)).hasStackTraceContaining("read-only transaction");
            assertThatThrownBy(() -> rooms.claim(1, 1)).hasStackTraceContaining("read-only transaction");
        }
    }

    @Test
    void aTransactionThatSomebodyLeftOpenOnAPoolsConnectionIsNotContinued() throws SQLException {
        String url = test.jdbcUrl() + (test.jdbcUrl().contains("?") ? "&" : "?") + DEFAULT + "isolation=serializable";
        SingleConnectionDataSource pool = new SingleConnectionDataSource(url, test.username(), test.password(), true);
        try (pool;
                Connection left = pool.getConnection()) {
            left.setAutoCommit(false);
            Database database = new Database(pool, new Schema("rowlock"));
            for (int round = 0; round < 3; round++) {
                transaction(left); // begins one, and nobody ends it

                assertThat(database.<String>alone(ConnectionSettingsTest::transaction))
                        .isEqualTo("read committed, off");
            }
        }
    }

    private static String outside(HikariDataSource pool) {
        try (Connection connection = pool.getConnection()) {
            return transaction(connection) + connection.getAutoCommit() + connection.isReadOnly();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String transaction(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT current_setting('transaction_isolation') || ', ' || current_setting('transaction_read_only')")) {
            row.next();
            return row.getString(1);
        }
    }

    /** A pool of one connection; names with a hyphen are settings of the pool, all others of the driver. */
    private HikariDataSource pool(String settings) {
        HikariConfig config = new HikariConfig();
        StringBuilder url = new StringBuilder(test.jdbcUrl());
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(" ")) {
            String value = setting.substring(setting.indexOf('=') + 1);
            switch (setting.substring(0, setting.indexOf('='))) {
                case "auto-commit" -> config.setAutoCommit(Boolean.parseBoolean(value));
                case "read-only" -> config.setReadOnly(Boolean.parseBoolean(value));
                case "isolation" -> config.setTransactionIsolation(value);
                default -> url.append(url.indexOf("?") < 0 ? '?' : '&').append(setting);
            }
        }
        config.setJdbcUrl(url.toString());
        config.setUsername(test.username());
        config.setPassword(test.password());
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }
}
