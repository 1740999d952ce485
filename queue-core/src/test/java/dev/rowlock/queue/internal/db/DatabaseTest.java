package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.lease.NodeRow;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(migrated = true)
class DatabaseTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final Database database;
    private final TransactionTemplate transaction;

    DatabaseTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        database = rooms.database();
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    @Test
    void aStatementThatRunsAloneStandsThoughTheCallersTransactionRollsBack() {
        transaction.executeWithoutResult(status -> {
            database.joined(connection -> insert(connection, "joined"));
            database.alone(connection -> insert(connection, "alone"));
            status.setRollbackOnly();
        });

        assertThat(queues()).containsExactly("alone");
    }

    @Test
    void aTransactionAwareProxyIsSeenThrough() {
        Database proxied = new Database(new TransactionAwareDataSourceProxy(test.dataSource()), database.schema());

        transaction.executeWithoutResult(status -> {
            assertThat(proxied.standing()).isEqualTo(TransactionStanding.INSIDE);
            proxied.joined(connection -> insert(connection, "joined"));
            proxied.alone(connection -> insert(connection, "alone"));
            status.setRollbackOnly();
        });

        assertThat(queues()).containsExactly("alone");
    }

    @Test
    void severalStatementsCommitTogetherOrNotAtAll() {
        assertThatThrownBy(() -> database.atomically(connection -> {
                    insert(connection, "first");
                    return insert(connection, "first");
                }))
                .isInstanceOf(DataAccessException.class);

        assertThat(queues()).isEmpty();
    }

    @Test
    void aConnectionGoesBackToItsPoolAsItCame() {
        database.atomically(connection -> insert(connection, "first"));

        boolean autoCommit = database.atOnce(Connection::getAutoCommit);

        assertThat(autoCommit).isTrue();
    }

    @Test
    void anyExceptionRollsBackEvenAnUndeclaredCheckedOne() {
        assertThatThrownBy(() -> database.atomically(connection -> {
                    insert(connection, "first");
                    throw sneaky(new java.io.IOException("the file ended"));
                }))
                .isInstanceOf(java.io.IOException.class);

        assertThat(queues()).isEmpty();
    }

    @Test
    void aPoolWithoutAutoCommitServesEveryKindOfStatement() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(test.jdbcUrl());
        config.setUsername(test.username());
        config.setPassword(test.password());
        config.setMaximumPoolSize(1);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Database manual = new Database(pool, database.schema());
            manual.joined(connection -> insert(connection, "joined"));
            manual.alone(connection -> insert(connection, "alone"));
            manual.atomically(connection -> insert(connection, "together"));
            long node = manual.atomically(connection -> new NodeRow(manual.schema())
                    .register(connection, "n", new NodeRow.Work(Map.of(Rooms.QUEUE, 10), null), Rooms.LEASE));
            long id = rooms.ready();
            ClaimedJob job = new ClaimReadyJobs(manual)
                    .run(Rooms.QUEUE, QueueRange.ALL, 1, node, null)
                    .jobs()
                    .get(0);
            new OutcomeStatements(manual, true)
                    .finish(List.of(new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, null)), true);

            assertThat(queues()).containsExactly("alone", "joined", "together");
            assertThat(rooms.roomsOf(id)).containsExactly("done");
        }
    }

    @Test
    void planSettingsEndWithTheirStatement() {
        ClaimedJob job = rooms.running();
        Database one = new Database(
                new org.springframework.jdbc.datasource.SingleConnectionDataSource(connection(), true),
                database.schema());

        new OutcomeStatements(one, true)
                .finish(List.of(new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, null)), true);

        String seqscan = one.alone(connection -> {
            try (var rows = connection.createStatement().executeQuery("SHOW enable_seqscan")) {
                rows.next();
                return rows.getString(1);
            }
        });
        assertThat(seqscan).isEqualTo("on");
    }

    @Test
    void aStatementHasAsMuchTimeAsItsDatabaseGivesIt() {
        assertThat(timeLimits(database)).containsOnly("30s");
        assertThat(timeLimits(database.patient())).containsOnly("15min");
        assertThat(timeLimits(database.impatient())).containsOnly("5s");
    }

    /** Behind plan settings, and in a transaction of its own. */
    private static List<String> timeLimits(Database of) {
        String limit = "SELECT current_setting('statement_timeout')";
        return List.of(
                of.atOnce(connection -> {
                    try (var statement = IndexPlan.prepare(connection, of.sql(IndexPlan.PREFIX + limit));
                            var row = IndexPlan.query(statement)) {
                        row.next();
                        return row.getString(1);
                    }
                }),
                of.alone(connection -> {
                    try (var row = connection.createStatement().executeQuery(limit)) {
                        row.next();
                        return row.getString(1);
                    }
                }));
    }

    private Connection connection() {
        try {
            return test.unpooled().getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int insert(Connection connection, String queue) throws SQLException {
        try (var statement = connection.prepareStatement("INSERT INTO rowlock.chore VALUES (?, now(), now())")) {
            statement.setString(1, queue);
            return statement.executeUpdate();
        }
    }

    private List<String> queues() {
        return rooms.sql("SELECT name FROM rowlock.chore ORDER BY name")
                .query(String.class)
                .list();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
