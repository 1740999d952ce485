package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Some go on adding jobs to an open step, so that there is always a transaction that has added some. */
@PostgresTest(migrated = true)
class OpenStepsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private static final StepKey FRONT = new StepKey(0, -1);

    record Task(String name) {}

    private final Database database;
    private final Rowlock rowlock;
    private final Workflows workflows;
    private final JdbcClient sql;
    private final Progress progress;
    private final FindSteps find;
    private final Adder one;
    private final Adder other;

    OpenStepsTest(TestDatabase test) {
        Rooms.emptyIn(test);
        database = new Database(test.dataSource(), new Schema("rowlock"));
        rowlock = Rowlock.builder(test.dataSource()).build();
        workflows = rowlock.workflows();
        find = new FindSteps(database);
        progress = new Progress(database, new WakeupBus(Wakeups.NONE));
        sql = JdbcClient.create(test.dataSource());
        one = new Adder(new DataSourceTransactionManager(test.dataSource()));
        other = new Adder(new DataSourceTransactionManager(test.dataSource()));
    }

    /** All jobs that are ready have been run; returns their ids. */
    private List<Long> run(String state) {
        return sql.sql("""
                        WITH run AS (DELETE FROM rowlock.ready RETURNING *)
                        INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                        SELECT id, enqueued_at, rank, 1, 0, 0, queue, type, payload, now(), '%s' FROM run
                        RETURNING id
                        """.formatted(state)).query(Long.class).list();
    }

    private long count(String what) {
        return sql.sql("SELECT count(*) FROM rowlock." + what).query(Long.class).single();
    }

    @AfterEach
    void stop() throws Exception {
        one.close();
        other.close();
        rowlock.close();
    }

    /** One who adds in a transaction that stays open until it is committed. */
    private final class Adder implements AutoCloseable {

        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final DataSourceTransactionManager manager;

        Adder(DataSourceTransactionManager manager) {
            this.manager = manager;
        }

        Future<TransactionStatus> add(long workflow) {
            return begin(
                    () -> workflows.add(workflow, "rows", List.of(new Task("row"))),
                    TransactionDefinition.ISOLATION_DEFAULT);
        }

        Future<TransactionStatus> begin(Runnable work, int isolation) {
            return thread.submit(() -> {
                DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
                definition.setIsolationLevel(isolation);
                TransactionStatus status = manager.getTransaction(definition);
                try {
                    work.run();
                    return status;
                } catch (RuntimeException e) {
                    manager.rollback(status);
                    throw e;
                }
            });
        }

        void go(Runnable work) throws Exception {
            thread.submit(work).get(1, TimeUnit.MINUTES);
        }

        void commit(Future<TransactionStatus> added) throws Exception {
            thread.submit(() -> {
                        manager.commit(added.get());
                        return null;
                    })
                    .get(1, TimeUnit.MINUTES);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    private void awaitWaiting(int transactions) {
        await().atMost(LONG).until(() -> waiting() >= transactions);
    }

    private long waiting() {
        return sql.sql("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
                .query(Long.class)
                .single();
    }

    @Test
    void whoClosesItComesBeforeThoseWhoAddLater() throws Exception {
        long id = workflows.start(Workflow.named("busy").each("rows", List.of(), s -> s.open()));
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> workflows.close(id, "rows"));
        awaitWaiting(1);
        Future<TransactionStatus> second = other.add(id);
        await().atMost(LONG).until(() -> second.isDone() || waiting() == 2);

        one.commit(first);

        await().atMost(LONG).until(closed::isDone);
        assertThat(closed.get()).isTrue();
        assertThatThrownBy(() -> second.get(1, TimeUnit.MINUTES)).hasMessageContaining("takes no jobs");
    }

    @Test
    void whoCancelsItsWorkflowComesBeforeThoseWhoAddLater() throws Exception {
        long id = workflows.start(Workflow.named("busy").each("rows", List.of(), s -> s.open()));
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);
        CompletableFuture<Boolean> cancelled = CompletableFuture.supplyAsync(() -> workflows.cancel(id, "ann", null));
        awaitWaiting(1);
        Future<TransactionStatus> second = other.add(id);
        await().atMost(LONG).until(() -> second.isDone() || waiting() == 2);

        one.commit(first);

        await().atMost(LONG).until(cancelled::isDone);
        assertThat(cancelled.get()).isTrue();
        assertThatThrownBy(() -> second.get(1, TimeUnit.MINUTES)).hasMessageContaining("takes no jobs");
    }

    /** The server's table of locks has room for some thousands, for all who use it. */
    @Test
    void whoeverAddsToManyOpenStepsOrCancelsTheirWorkflowTakesFewLocks() throws Exception {
        int many = 300;
        Workflow workflow = Workflow.named("many");
        for (int step = 0; step < many; step++) {
            workflow = workflow.each("step-" + step, List.of(), s -> s.open());
        }
        long id = workflows.start(workflow);
        List<Long> locks = new CopyOnWriteArrayList<>();
        Runnable count = () -> locks.add(
                sql.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
                        .query(Long.class)
                        .single());

        one.commit(one.begin(
                () -> {
                    IntStream.range(0, many)
                            .forEach(step -> workflows.add(id, "step-" + step, List.of(new Task("row"))));
                    count.run();
                },
                TransactionDefinition.ISOLATION_DEFAULT));
        one.commit(one.begin(
                () -> {
                    assertThat(workflows.cancel(id, "me", "enough")).isTrue();
                    count.run();
                },
                TransactionDefinition.ISOLATION_DEFAULT));

        assertThat(locks).hasSize(2).allSatisfy(number -> assertThat(number).isBetween(1L, 16L));
        assertThat(count("workflow_step WHERE accepts")).isZero();
    }

    private void ended(List<Long> jobs) {
        progress.ended(jobs);
        finish();
    }

    private void left() {
        progress.left(find.moving(FRONT, 10));
        finish();
    }

    private void finish() {
        boolean more = true;
        while (more) {
            more = progress.round();
        }
    }

    private long startedWaiting() {
        return workflows.start(Workflow.named("busy")
                .step("first", new Task("first"))
                .each("rows", List.of(new Task("row")), s -> s.after("first").open()));
    }

    @Test
    void itsJobsRunWhileSomebodyGoesOnAdding() throws Exception {
        long id = startedWaiting();
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);

        ended(run("completed"));
        assertThat(count("ready")).as("those that are there").isEqualTo(1);

        Future<TransactionStatus> second = other.add(id);
        second.get(1, TimeUnit.MINUTES);
        one.commit(first);
        left();
        assertThat(count("ready")).as("those of the first one as well").isEqualTo(2);
        assertThat(count("workflow_step WHERE state = 'released'")).isEqualTo(2);

        other.commit(second);
        assertThat(count("ready")).isEqualTo(3);
        assertThat(count("waiting")).isZero();
    }

    @Test
    void ifItIsSkippedWhileSomebodyAddsTheAddedJobIsCancelledAsWell() throws Exception {
        long id = startedWaiting();
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);

        ended(run("cancelled"));
        Future<TransactionStatus> second = other.add(id);
        assertThatThrownBy(() -> second.get(1, TimeUnit.MINUTES)).hasMessageContaining("takes no jobs");
        left();
        one.commit(first);
        progress.undecided(find.undecided(FRONT, 10));
        left();

        assertThat(count("waiting")).isZero();
        assertThat(workflows.find(id).orElseThrow().summary().endedAt()).isNotNull();
    }

    @Test
    void whoAddsByAnOldSnapshotLeavesNoJobBehindThatNeverRuns() throws Exception {
        long id = startedWaiting();
        Future<TransactionStatus> old =
                one.begin(() -> count("workflow"), TransactionDefinition.ISOLATION_REPEATABLE_READ);
        old.get(1, TimeUnit.MINUTES);
        ended(run("completed"));

        assertThatThrownBy(() -> one.go(() -> workflows.add(id, "rows", List.of(new Task("row")))))
                .hasMessageContaining("could not serialize access");
    }

    @Test
    void itIsClosedOnlyAfterThoseWhoAddToItWhileItsJobsRun() throws Exception {
        long id = workflows.start(Workflow.named("busy").each("rows", List.of(), s -> s.open()));
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> workflows.close(id, "rows"));
        awaitWaiting(1);
        progress.undecided(find.undecided(FRONT, 10));

        assertThat(closed).isNotDone();
        one.commit(first);

        assertThat(closed.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(count("ready")).isEqualTo(1);
        assertThat(workflows.find(id).orElseThrow().summary().endedAt()).isNull();
    }

    @Test
    void aWorkflowThatIsCancelledWithTheOneAroundItEndsOnlyAfterThoseWhoAddToIt() throws Exception {
        long id = workflows.start(Workflow.named("inner").each("rows", List.of(), s -> s.open()));
        Future<TransactionStatus> first = one.add(id);
        first.get(1, TimeUnit.MINUTES);
        sql.sql("UPDATE rowlock.workflow SET state = 'cancelling'").update();

        cancelJobs(id);
        assertThat(workflows.find(id).orElseThrow().summary().endedAt()).isNull();
        one.commit(first);
        cancelJobs(id); // finds the job, or closes the step
        cancelJobs(id);

        assertThat(workflows.find(id).orElseThrow().summary().state()).isEqualTo(WorkflowState.CANCELLED);
        assertThat(count("ready")).isZero();
    }

    private void cancelJobs(long workflow) {
        new CancelWorkflows(database).jobs(workflow, -1, Long.MIN_VALUE, 10);
        progress.cancelled(workflow);
    }
}
