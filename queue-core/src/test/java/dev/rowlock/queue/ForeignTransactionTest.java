package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A job joins a transaction on Rowlock's DataSource, and no other one, whatever was read before. */
@PostgresTest(migrated = true)
@ParameterizedClass(name = "autoCommit={0}")
@ValueSource(booleans = {true, false})
class ForeignTransactionTest {

    record SendMail(String to) {}

    @Parameter
    boolean autoCommit;

    private final TestDatabase test;
    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private HikariDataSource pool;

    ForeignTransactionTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
    }

    @BeforeEach
    void connect() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(test.jdbcUrl());
        config.setUsername(test.username());
        config.setPassword(test.password());
        config.setMaximumPoolSize(4);
        config.setAutoCommit(autoCommit);
        pool = new HikariDataSource(config);
    }

    /** Some of these transactions leave a connection on the thread, which the next test class would take for its own. */
    @AfterEach
    void disconnect() {
        Map.copyOf(TransactionSynchronizationManager.getResourceMap())
                .keySet()
                .forEach(TransactionSynchronizationManager::unbindResource);
        pool.close();
    }

    /** Reads of Rowlock's DataSource, of which some bind a connection to the thread. */
    static Stream<Named<Consumer<DataSource>>> reads() {
        return Stream.of(
                Named.of("nothing", dataSource -> {}),
                Named.of(
                        "JdbcTemplate",
                        dataSource -> new JdbcTemplate(dataSource).queryForObject("SELECT 1", int.class)),
                Named.of("DataSourceUtils", DataSourceUtils::getConnection),
                Named.of("JobSearch", dataSource -> new JobSearch(database(dataSource)).find(1)),
                Named.of(
                        "JobAdmin",
                        dataSource -> FrontDoors.admin(database(dataSource), new RecordedWakeups())
                                .pauses()));
    }

    @ParameterizedTest
    @MethodSource("reads")
    void aTransactionOfAnotherDataSourceIsRefused(Consumer<DataSource> read) {
        assertRefused(new JdbcTransactionManager(test.unpooled()), read);
    }

    @ParameterizedTest
    @MethodSource("reads")
    void aTransactionOfAnyOtherResourceIsRefused(Consumer<DataSource> read) {
        assertRefused(new Elsewhere(), read);
    }

    @Test
    void aSearchInAnotherDataSourcesTransactionBindsNoConnection() {
        new TransactionTemplate(new Elsewhere()).executeWithoutResult(status -> {
            new JobSearch(database(pool)).counts();

            assertThat(TransactionSynchronizationManager.getResourceMap()).doesNotContainKey(pool);
        });
    }

    @Test
    void ourTransactionInsideAForeignOneIsJoined() {
        JobTemplate jobs = jobs(pool);
        TransactionTemplate ours = new TransactionTemplate(new JdbcTransactionManager(pool));

        new TransactionTemplate(new Elsewhere()).executeWithoutResult(status -> {
            ours.executeWithoutResult(inner -> jobs.enqueue(new SendMail("committed")));
            ours.executeWithoutResult(inner -> {
                jobs.enqueue(new SendMail("rolled back"));
                inner.setRollbackOnly();
            });
            assertThatThrownBy(() -> jobs.enqueue(new SendMail("refused"))).isInstanceOf(IllegalStateException.class);
        });

        assertThat(recipients()).containsExactly("committed");
    }

    @Test
    void aReadOfAnotherDataSourceInItsOwnTransactionChangesNothing() {
        JobTemplate jobs = jobs(pool);

        rollBack(new JdbcTransactionManager(pool), () -> {
            new JdbcTemplate(test.unpooled()).queryForObject("SELECT 1", int.class);
            jobs.enqueue(new SendMail("ada"));
        });

        assertThat(recipients()).isEmpty();
    }

    @Test
    void aManagerThatNeverSynchronizesIsJoined() {
        DataSourceTransactionManager silent = new JdbcTransactionManager(pool);
        silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);

        assertJoined(silent, pool);
    }

    @Test
    void aManagerThatSynchronizesRealTransactionsOnlyIsJoined() {
        DataSourceTransactionManager manager = new DataSourceTransactionManager(pool);
        manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_ON_ACTUAL_TRANSACTION);

        assertJoined(manager, pool);
    }

    @Test
    void aTransactionBegunUnderForeignSynchronizationIsJoined() {
        // As managers of several managers do: nobody says that a transaction is active.
        TransactionSynchronizationManager.initSynchronization();
        try {
            assertJoined(new JdbcTransactionManager(pool), pool);
        } finally {
            TransactionSynchronizationManager.clearSynchronization();
        }
    }

    @Test
    void proxiesAndRoutersThatTheManagerSharesAreJoined() {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(pool);
        lazy.setDefaultAutoCommit(autoCommit);
        assertJoined(new JdbcTransactionManager(lazy), lazy);

        assertJoined(new JdbcTransactionManager(new TransactionAwareDataSourceProxy(pool)), pool);
        assertJoined(new JdbcTransactionManager(pool), new TransactionAwareDataSourceProxy(pool));

        AbstractRoutingDataSource router = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "jobs";
            }
        };
        router.setTargetDataSources(Map.of("jobs", pool, "other", new Unreachable()));
        router.afterPropertiesSet();
        assertJoined(new JdbcTransactionManager(router), router);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.PROPAGATION_SUPPORTS,
                TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                TransactionDefinition.PROPAGATION_NEVER
            })
    void aCallWithoutATransactionCommitsByItselfEvenIfAConnectionIsBound(int propagation) {
        TransactionTemplate none = new TransactionTemplate(new JdbcTransactionManager(pool));
        none.setPropagationBehavior(propagation);
        JobTemplate jobs = jobs(pool);

        none.executeWithoutResult(status -> {
            new JdbcTemplate(pool).queryForObject("SELECT 1", int.class);
            jobs.enqueue(new SendMail("ada"));
            status.setRollbackOnly();
        });

        assertThat(recipients()).containsExactly("ada");
        assertThat(wakeups.heard()).hasSize(1);
    }

    @Test
    void aTransactionThatIsSuspendedIsNotJoined() {
        JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        TransactionTemplate none = new TransactionTemplate(manager);
        none.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        JobTemplate jobs = jobs(pool);

        rollBack(manager, () -> none.executeWithoutResult(suspended -> jobs.enqueue(new SendMail("ada"))));

        assertThat(recipients()).containsExactly("ada");
    }

    private void assertRefused(PlatformTransactionManager manager, Consumer<DataSource> read) {
        JobTemplate jobs = jobs(pool);
        JobAdmin admin = FrontDoors.admin(database(pool), wakeups);

        new TransactionTemplate(manager).executeWithoutResult(status -> {
            read.accept(pool);
            assertThatThrownBy(() -> jobs.enqueue(new SendMail("ada")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("DataSource");
            assertThatThrownBy(() -> jobs.enqueueAll(List.of(new SendMail("ada"))))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> admin.pause("mail")).isInstanceOf(IllegalStateException.class);
        });

        assertThat(recipients()).isEmpty();
        assertThat(admin.pauses()).isEmpty();
    }

    private void assertJoined(PlatformTransactionManager manager, DataSource dataSource) {
        JobTemplate jobs = jobs(dataSource);

        rollBack(manager, () -> jobs.enqueue(new SendMail("rolled back")));
        assertThat(recipients()).isEmpty();

        AtomicLong id = new AtomicLong();
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            id.set(jobs.enqueue(new SendMail("committed")));
            assertThat(recipients()).isEmpty();
        });
        assertThat(rooms.roomsOf(id.get())).containsExactly("ready");
        rooms.execute("TRUNCATE rowlock.ready");
    }

    private static void rollBack(PlatformTransactionManager manager, Runnable code) {
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            code.run();
            status.setRollbackOnly();
        });
    }

    private JobTemplate jobs(DataSource dataSource) {
        return new JobTemplate(
                database(dataSource),
                new JacksonPayloadCodec(JsonMapper.builder().build()),
                1 << 20,
                type -> null,
                wakeups);
    }

    private static Database database(DataSource dataSource) {
        return new Database(dataSource, new Schema("rowlock"));
    }

    private List<String> recipients() {
        return rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
    }

    /** Transactions on nothing that Rowlock knows: messages, another kind of database, JTA. */
    private static final class Elsewhere extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    private static final class Unreachable extends AbstractDataSource {

        @Override
        public java.sql.Connection getConnection() {
            throw new AssertionError("the router led to the wrong database");
        }

        @Override
        public java.sql.Connection getConnection(String username, String password) {
            return getConnection();
        }
    }
}
