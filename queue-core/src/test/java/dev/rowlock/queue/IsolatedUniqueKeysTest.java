package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Requests that keep the job of their unique key, in transactions that see one snapshot: the job may have gone since they began. */
@PostgresTest(migrated = true)
class IsolatedUniqueKeysTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final UniqueKey ENDED = UniqueKey.of("k");
    private static final UniqueKey STARTED = UniqueKey.of("k").untilStarted();

    @JobType("sync")
    record Sync(int number) {}

    /** Ways to ask. Each answers whether a job was created. */
    enum Door {
        UNTIL_ENDED((rowlock, sql) -> created(rowlock.jobs().enqueueUnique(new Sync(2), ENDED))),
        UNTIL_STARTED((rowlock, sql) -> created(rowlock.jobs().enqueueUnique(new Sync(2), STARTED))),
        IN_A_BATCH((rowlock, sql) -> created(rowlock.jobs()
                .enqueueEach(List.of(
                        JobRequest.of(
                                new Sync(1), o -> o.unique(UniqueKey.of("other").onceMore())),
                        JobRequest.of(new Sync(2), o -> o.unique(ENDED))))
                .get(1))),
        SQL((rowlock, sql) -> sql.sql("SELECT created FROM rowlock.enqueue_unique('sync', '{\"number\":2}', 'k')")
                .query(Boolean.class)
                .single()),
        SQL_WITH_A_KEY((rowlock, sql) -> sql.sql(
                        "SELECT created FROM rowlock.enqueue_unique_with_key('sync', '{\"number\":2}', 'k', 'tenant')")
                .query(Boolean.class)
                .single());

        private final BiFunction<Rowlock, JdbcClient, Boolean> call;

        Door(BiFunction<Rowlock, JdbcClient, Boolean> call) {
            this.call = call;
        }

        private static boolean created(EnqueueResult result) {
            return result.what() == Enqueued.CREATED;
        }
    }

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final JdbcClient sql;
    private final TransactionTemplate transaction;
    private final Rowlock web;
    private final Rowlock node;

    IsolatedUniqueKeysTest(TestDatabase database) {
        Rooms.emptyIn(database);
        sql = JdbcClient.create(database.dataSource());
        transaction = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
        web = rowlocks.built(Rowlocks.quick(database.dataSource()).enqueueOnly());
        node = rowlocks.built(
                Rowlocks.quick(database.dataSource()).listener(Sync.class, (sync, job) -> mayEnd.await()));
    }

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        rowlocks.close();
    }

    @ParameterizedTest
    @CsvSource({
        "UNTIL_ENDED, ISOLATION_REPEATABLE_READ, COMPLETED",
        "UNTIL_ENDED, ISOLATION_SERIALIZABLE, CANCELLED",
        "UNTIL_STARTED, ISOLATION_REPEATABLE_READ, RUNNING",
        "UNTIL_STARTED, ISOLATION_SERIALIZABLE, COMPLETED",
        "IN_A_BATCH, ISOLATION_REPEATABLE_READ, COMPLETED",
        "SQL, ISOLATION_REPEATABLE_READ, COMPLETED",
        "SQL, ISOLATION_SERIALIZABLE, CANCELLED",
        "SQL_WITH_A_KEY, ISOLATION_REPEATABLE_READ, COMPLETED"
    })
    void aRequestIsNotAnsweredWithAJobThatHasGoneSinceItsTransactionBegan(Door door, String isolation, JobState now) {
        long id = web.jobs().enqueueUnique(new Sync(1), ENDED).id();
        transaction.setIsolationLevelName(isolation);

        Throwable refused = catchThrowable(() -> transaction.execute(status -> {
            sql.sql("SELECT count(*) FROM rowlock.ready").query(Integer.class).single(); // the snapshot
            elsewhere(() -> bring(id, now));
            return door.call.apply(web, sql);
        }));

        assertThat(refused).isNotNull();
        assertThat(state(refused)).isEqualTo("40001");
        Boolean again = transaction.execute(status -> door.call.apply(web, sql)); // as the failure asks for
        assertThat(again).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "UNTIL_ENDED, ISOLATION_READ_COMMITTED",
        "UNTIL_ENDED, ISOLATION_REPEATABLE_READ",
        "UNTIL_STARTED, ISOLATION_SERIALIZABLE",
        "IN_A_BATCH, ISOLATION_REPEATABLE_READ",
        "SQL, ISOLATION_REPEATABLE_READ"
    })
    void aJobThatIsThereIsKeptAndRunsAndEndsBeforeTheTransactionDoes(Door door, String isolation) {
        long id = web.jobs().enqueueUnique(new Sync(1), ENDED).id();
        transaction.setIsolationLevelName(isolation);

        boolean created = Objects.requireNonNull(transaction.execute(status -> {
            boolean answer = door.call.apply(web, sql);
            elsewhere(() -> bring(id, JobState.COMPLETED));
            return answer;
        }));

        assertThat(created).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"UNTIL_ENDED, ISOLATION_REPEATABLE_READ", "SQL, ISOLATION_SERIALIZABLE"})
    void aJobThatRunsIsKeptAndEndsBeforeTheTransactionDoes(Door door, String isolation) {
        long id = web.jobs().enqueueUnique(new Sync(1), ENDED).id();
        bring(id, JobState.RUNNING);
        transaction.setIsolationLevelName(isolation);

        boolean created = Objects.requireNonNull(transaction.execute(status -> {
            boolean answer = door.call.apply(web, sql);
            elsewhere(() -> bring(id, JobState.COMPLETED));
            return answer;
        }));

        assertThat(created).isFalse();
    }

    /** On a thread that is in no transaction. */
    private static void elsewhere(Runnable work) {
        CompletableFuture.runAsync(work).join();
    }

    private void bring(long id, JobState to) {
        if (to == JobState.CANCELLED) {
            web.admin().cancel(id);
            return;
        }
        if (to == JobState.COMPLETED) {
            mayEnd.countDown();
        }
        node.start();
        await().atMost(LONG).until(() -> web.search().find(id).orElseThrow().state() == to);
    }

    private static String state(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql) {
                return sql.getSQLState();
            }
        }
        return thrown.toString();
    }
}
