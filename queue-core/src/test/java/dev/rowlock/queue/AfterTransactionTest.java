package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.operate.Pause;
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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Every id that an enqueue after the end of a transaction returns is a job, and workers hear of it at once. */
@PostgresTest(migrated = true)
@ParameterizedClass(name = "autoCommit={0}")
@ValueSource(booleans = {true, false})
class AfterTransactionTest {

    record SendMail(String to) {}

    /** When Spring calls. */
    enum Phase {
        AFTER_COMMIT {
            @Override
            void call(Runnable code) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        code.run();
                    }
                });
            }
        },
        AFTER_COMPLETION {
            @Override
            void call(Runnable code) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        try {
                            code.run();
                        } catch (Throwable thrown) {
                            SWALLOWED.add(thrown); // Spring would only log it
                        }
                    }
                });
            }
        };

        abstract void call(Runnable code);
    }

    private static final List<Throwable> SWALLOWED = new CopyOnWriteArrayList<>();

    @Parameter
    boolean autoCommit;

    private final TestDatabase test;
    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private HikariDataSource pool;
    private Database database;
    private JobTemplate jobs;
    private PlatformTransactionManager manager;

    AfterTransactionTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rooms.execute("CREATE TABLE IF NOT EXISTS customer (name text)");
        rooms.execute("TRUNCATE customer");
    }

    @BeforeEach
    void connect() {
        SWALLOWED.clear();
        use(pool(1));
    }

    @AfterEach
    void close() {
        pool.close();
        assertThat(SWALLOWED).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatIsEnqueuedAfterItsTransactionExistsAtOnceAndNeedsNoSecondConnection(Phase phase) {
        transaction()
                .executeWithoutResult(status -> phase.call(() -> {
                    long id = jobs.enqueue(new SendMail("ada"));
                    assertThat(rooms.roomsOf(id)).containsExactly("ready");
                    assertThat(wakeups.heard()).containsExactly("1 ready in default from rank 0");
                }));

        assertThat(wakeups.heard()).hasSize(1);
        assertThat(rooms.count("ready")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void bulkAndUniqueJobsEnqueuedAfterATransactionExistAtOnce(Phase phase) {
        transaction()
                .executeWithoutResult(status -> phase.call(() -> {
                    jobs.enqueueAll(List.of(new SendMail("ada"), new SendMail("bob")));
                    jobs.enqueue(new SendMail("cid"), o -> o.unique("cid"));
                }));

        assertThat(rooms.count("ready")).isEqualTo(3);
        assertThat(wakeups.heard()).containsExactly("2 ready in default from rank 0", "1 ready in default from rank 0");
    }

    @ParameterizedTest
    @EnumSource
    void aJobAfterATransactionThatEnqueuedAJobExistsAtOnce(Phase phase) {
        transaction().executeWithoutResult(status -> {
            phase.call(() -> jobs.enqueue(new SendMail("after")));
            jobs.enqueue(new SendMail("in"));
        });

        assertThat(recipients()).containsExactly("in", "after");
        assertThat(wakeups.heard()).hasSize(2);
    }

    @Test
    void aJobAfterATransactionThatRolledBackExistsAtOnce() {
        transaction().executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("in"));
            Phase.AFTER_COMPLETION.call(() -> jobs.enqueue(new SendMail("after")));
            status.setRollbackOnly();
        });

        assertThat(recipients()).containsExactly("after");
        assertThat(wakeups.heard()).containsExactly("1 ready in default from rank 0");
    }

    @ParameterizedTest
    @EnumSource
    void aJobAfterAReadOnlySerializableTransactionExistsAtOnce(Phase phase) {
        TransactionTemplate reading = transaction();
        reading.setReadOnly(true);
        reading.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);

        reading.executeWithoutResult(status -> phase.call(() -> jobs.enqueue(new SendMail("after"))));

        assertThat(recipients()).containsExactly("after");
    }

    @ParameterizedTest
    @EnumSource
    void aJobAfterATransactionOfAnotherDataSourceExistsAtOnce(Phase phase) {
        TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(test.unpooled()));

        elsewhere.executeWithoutResult(status -> phase.call(() -> jobs.enqueue(new SendMail("after"))));

        assertThat(recipients()).containsExactly("after");
        assertThat(wakeups.heard()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void aJobIsKeptThoughItsCallbackWritesOnTheEndedConnection(Phase phase) {
        pool.close();
        use(pool(2));

        transaction()
                .executeWithoutResult(status -> phase.call(() -> {
                    new JdbcTemplate(pool).execute("INSERT INTO customer VALUES ('lost')");
                    jobs.enqueue(new SendMail("after"));
                }));

        assertThat(recipients()).containsExactly("after");
    }

    @ParameterizedTest
    @EnumSource
    void aNewTransactionInACallbackDecidesAboutItsJobs(Phase phase) {
        pool.close();
        use(pool(2));

        transaction()
                .executeWithoutResult(status -> phase.call(() -> {
                    own().executeWithoutResult(inner -> {
                        Phase.AFTER_COMMIT.call(() -> {});
                        jobs.enqueue(new SendMail("rolled back"));
                        inner.setRollbackOnly();
                    });
                    own().executeWithoutResult(inner -> {
                        Phase.AFTER_COMMIT.call(() -> {});
                        jobs.enqueue(new SendMail("committed"));
                        assertThat(wakeups.heard()).isEmpty();
                    });
                    assertThat(wakeups.heard()).hasSize(1);
                    jobs.enqueue(new SendMail("after"));
                }));

        assertThat(recipients()).containsExactly("committed", "after");
        assertThat(wakeups.heard()).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionBegunByHandInACallbackDecidesAboutItsJobs(Phase phase) {
        pool.close();
        use(pool(2));

        transaction()
                .executeWithoutResult(status -> phase.call(() -> {
                    TransactionStatus inner = manager.getTransaction(own());
                    jobs.enqueue(new SendMail("rolled back"));
                    manager.rollback(inner);
                }));

        assertThat(recipients()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aRequiredTransactionInACallbackCommitsWithItsJobs(Phase phase) {
        transaction()
                .executeWithoutResult(status -> phase.call(() -> transaction().executeWithoutResult(again -> {
                    new JdbcTemplate(pool).execute("INSERT INTO customer VALUES ('ada')");
                    jobs.enqueue(new SendMail("ada"));
                })));

        assertThat(recipients()).containsExactly("ada");
        assertThat(rooms.number("SELECT count(*) FROM customer")).isEqualTo(1);
        assertThat(wakeups.heard()).containsExactly("1 ready in default from rank 0");
    }

    @ParameterizedTest
    @EnumSource
    void aRequiredTransactionInACallbackCommitsAfterATransactionThatEnqueuedAJob(Phase phase) {
        transaction().executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("before"));
            phase.call(() -> transaction().executeWithoutResult(again -> {
                new JdbcTemplate(pool).execute("INSERT INTO customer VALUES ('ada')");
                jobs.enqueue(new SendMail("ada"));
            }));
        });

        assertThat(recipients()).containsExactly("before", "ada");
        assertThat(rooms.number("SELECT count(*) FROM customer")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aRequiredTransactionInACallbackThatOnlyCancelsAJobCommits(Phase phase) {
        JobAdmin admin = FrontDoors.admin(database, wakeups);
        long cancelled = jobs.enqueue(new SendMail("cancelled"));

        transaction()
                .executeWithoutResult(status -> phase.call(() -> transaction()
                        .executeWithoutResult(
                                again -> assertThat(admin.cancel(cancelled)).isEqualTo(CancelResult.CANCELLED))));

        assertThat(recipients()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aRequiredTransactionThatFailsInACallbackLeavesNoJob(Phase phase) {
        transaction()
                .executeWithoutResult(status ->
                        phase.call(() -> assertThatThrownBy(() -> transaction().executeWithoutResult(again -> {
                                    jobs.enqueue(new SendMail("ada"));
                                    throw new IllegalStateException("no");
                                }))
                                .hasMessage("no")));

        assertThat(recipients()).isEmpty();
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void jobsEnqueuedJustBeforeTheEndBelongToTheTransaction() {
        transaction().executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    jobs.enqueue(new SendMail("before commit"));
                }

                @Override
                public void beforeCompletion() {
                    jobs.enqueue(new SendMail("before completion"));
                    assertThat(rooms.count("ready")).isZero();
                }
            });
        });

        assertThat(recipients()).containsExactly("before commit", "before completion");
        assertThat(wakeups.heard()).containsExactly("2 ready in default from rank 0");
    }

    @Test
    void aCallbackOfTheApplicationThatThrowsCostsNoWakeUp() {
        assertThatThrownBy(() -> transaction().executeWithoutResult(status -> {
                    Phase.AFTER_COMMIT.call(() -> {
                        throw new IllegalStateException("mine");
                    });
                    jobs.enqueue(new SendMail("ada"));
                }))
                .hasMessage("mine");

        assertThat(recipients()).containsExactly("ada");
        assertThat(wakeups.heard()).containsExactly("1 ready in default from rank 0");
    }

    @ParameterizedTest
    @EnumSource
    void aRequiredTransactionThatFailsInACallbackLeavesOnlyEarlierJobs(Phase phase) {
        transaction().executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("before"));
            phase.call(() -> assertThatThrownBy(() -> transaction().executeWithoutResult(again -> {
                        jobs.enqueue(new SendMail("ada"));
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no"));
        });

        assertThat(recipients()).containsExactly("before");
    }

    @ParameterizedTest
    @EnumSource
    void adminCallsAfterATransactionTakeEffectAndNodesHearOfThem(Phase phase) {
        JobAdmin admin = FrontDoors.admin(database, wakeups);

        transaction().executeWithoutResult(status -> phase.call(() -> admin.pause("mail")));

        assertThat(admin.pauses()).singleElement().extracting(Pause::name).isEqualTo("mail");
        assertThat(wakeups.heard()).containsExactly("attention");
    }

    private void use(HikariDataSource pool) {
        this.pool = pool;
        database = new Database(pool, new Schema("rowlock"));
        jobs = new JobTemplate(
                database, new JacksonPayloadCodec(JsonMapper.builder().build()), 1 << 20, type -> null, wakeups);
        manager = new JdbcTransactionManager(pool);
    }

    private HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(test.jdbcUrl());
        config.setUsername(test.username());
        config.setPassword(test.password());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(2_000);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private TransactionTemplate transaction() {
        return new TransactionTemplate(manager);
    }

    private TransactionTemplate own() {
        TransactionTemplate own = transaction();
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return own;
    }

    private List<String> recipients() {
        return rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
    }
}
