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
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two DataSources, and a transaction of one inside a transaction of the other: a callback at the end of the inner one
 * still runs inside the outer one.
 */
@PostgresTest(migrated = true)
@ParameterizedClass(name = "autoCommit={0}")
@ValueSource(booleans = {true, false})
class CallbacksWithinTransactionsTest {

    record SendMail(String to) {}

    /** Spring only logs what is thrown in {@code afterCompletion}. */
    private static final List<Throwable> SWALLOWED = new CopyOnWriteArrayList<>();

    private static final class Failure extends RuntimeException {}

    /** How a transaction ends. */
    enum End {
        COMMIT {
            @Override
            void end() {}
        },
        EXCEPTION {
            @Override
            void end() {
                throw new Failure();
            }
        };

        abstract void end();
    }

    @Parameter
    boolean autoCommit;

    private final TestDatabase test;
    private final Rooms rooms;
    private HikariDataSource ours;
    private HikariDataSource others;
    private JdbcTransactionManager manager;
    private JdbcTransactionManager otherManager;
    private JobTemplate jobs;

    CallbacksWithinTransactionsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rooms.execute("CREATE TABLE IF NOT EXISTS customer (name text)");
        rooms.execute("TRUNCATE customer");
    }

    @BeforeEach
    void connect() {
        SWALLOWED.clear();
        ours = pool();
        others = pool();
        manager = new JdbcTransactionManager(ours);
        otherManager = new JdbcTransactionManager(others);
        jobs = new JobTemplate(
                new Database(ours, new Schema("rowlock")),
                new JacksonPayloadCodec(JsonMapper.builder().build()),
                1 << 20,
                type -> null,
                new RecordedWakeups());
    }

    @AfterEach
    void close() {
        ours.close();
        others.close();
        assertThat(SWALLOWED).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aJobJoinsTheOpenTransactionAroundTheEndedOne(End inner) {
        declared(manager, End.COMMIT, () -> {
            declared(otherManager, inner, () -> afterCompletion(() -> jobs.enqueue(new SendMail("ada"))));
            assertThat(recipients()).isEmpty();
        });
        declared(manager, End.EXCEPTION, () -> {
            insertCustomer();
            declared(otherManager, inner, () -> afterCompletion(() -> jobs.enqueue(new SendMail("bob"))));
        });

        assertThat(recipients()).containsExactly("ada");
        assertThat(customers()).isZero();
    }

    @Test
    void aJobEnqueuedInAfterCommitJoinsTheOpenTransaction() {
        declared(
                manager,
                End.EXCEPTION,
                () -> declared(otherManager, End.COMMIT, () -> afterCommit(() -> jobs.enqueue(new SendMail("ada")))));

        assertThat(recipients()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aRequiredTransactionInACallbackDoesNotCommitTheOpenOne(End inner) {
        declared(manager, End.EXCEPTION, () -> {
            insertCustomer();
            declared(
                    otherManager,
                    inner,
                    () -> afterCompletion(
                            () -> declared(manager, End.COMMIT, () -> jobs.enqueue(new SendMail("ada")))));
        });

        assertThat(recipients()).isEmpty();
        assertThat(customers()).isZero();
    }

    @Test
    void aRequiredTransactionInACallbackDoesNotCommitAnOpenOneThatIsNotDeclarative() {
        transaction(manager).executeWithoutResult(status -> {
            insertCustomer();
            declared(
                    otherManager,
                    End.COMMIT,
                    () -> afterCompletion(
                            () -> declared(manager, End.COMMIT, () -> jobs.enqueue(new SendMail("ada")))));
            status.setRollbackOnly();
        });

        assertThat(recipients()).isEmpty();
        assertThat(customers()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aJobAfterItsInnerTransactionExistsAtOnce(End inner) {
        declared(
                otherManager,
                End.EXCEPTION,
                () -> declared(manager, inner, () -> afterCompletion(() -> jobs.enqueue(new SendMail("ada")))));

        assertThat(recipients()).containsExactly("ada");
    }

    @Test
    void aJobOfARequiredTransactionAfterItsInnerTransactionExistsAtOnce() {
        declared(
                otherManager,
                End.EXCEPTION,
                () -> declared(
                        manager,
                        End.COMMIT,
                        () -> afterCompletion(
                                () -> declared(manager, End.COMMIT, () -> jobs.enqueue(new SendMail("ada"))))));

        assertThat(recipients()).containsExactly("ada");
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionOfAnotherDataSourceAfterTheEndIsRefusedAsEverywhere(End first) {
        declared(
                manager,
                first,
                () -> afterCompletion(() -> declared(
                        otherManager,
                        End.COMMIT,
                        () -> assertThatThrownBy(() -> jobs.enqueue(new SendMail("ada")))
                                .isInstanceOf(IllegalStateException.class))));

        assertThat(recipients()).isEmpty();
    }

    @Test
    void aJobInsideAnotherDataSourcesTransactionJoinsTheOpenOneAroundIt() {
        declared(
                manager,
                End.EXCEPTION,
                () -> declared(otherManager, End.COMMIT, () -> jobs.enqueue(new SendMail("ada"))));
        declared(
                manager, End.COMMIT, () -> declared(otherManager, End.COMMIT, () -> jobs.enqueue(new SendMail("bob"))));

        assertThat(recipients()).containsExactly("bob");
    }

    @Test
    void aJobIsRefusedIfTheOpenTransactionIsUnknownAndANewTransactionHelps() {
        transaction(manager).executeWithoutResult(status -> {
            declared(
                    otherManager,
                    End.COMMIT,
                    () -> afterCommit(() -> {
                        assertThatThrownBy(() -> jobs.enqueue(new SendMail("ada")))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("REQUIRES_NEW");
                        own().executeWithoutResult(inner -> jobs.enqueue(new SendMail("bob")));
                    }));
            status.setRollbackOnly();
        });

        assertThat(recipients()).containsExactly("bob");
    }

    /** As {@code @Transactional} does it. */
    private static void declared(JdbcTransactionManager manager, End end, Runnable code) {
        ProxyFactory proxy = new ProxyFactory((Runnable) () -> {
            code.run();
            end.end();
        });
        proxy.addAdvice(new TransactionInterceptor(manager, (method, target) -> new DefaultTransactionAttribute()));
        try {
            ((Runnable) proxy.getProxy()).run();
        } catch (Failure e) {
            assertThat(end).isEqualTo(End.EXCEPTION);
        }
    }

    private static void afterCommit(Runnable code) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                code.run();
            }
        });
    }

    private static void afterCompletion(Runnable code) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                try {
                    code.run();
                } catch (RuntimeException | AssertionError e) {
                    SWALLOWED.add(e);
                }
            }
        });
    }

    private static TransactionTemplate transaction(JdbcTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    private TransactionTemplate own() {
        TransactionTemplate own = transaction(manager);
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return own;
    }

    private void insertCustomer() {
        new JdbcTemplate(ours).execute("INSERT INTO customer VALUES ('ada')");
    }

    private long customers() {
        return rooms.number("SELECT count(*) FROM customer");
    }

    private List<String> recipients() {
        return rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(test.jdbcUrl());
        config.setUsername(test.username());
        config.setPassword(test.password());
        config.setMaximumPoolSize(2);
        config.setConnectionTimeout(2_000);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }
}
