package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.NoSuchWorkflowException;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.WorkflowWaitTimeoutException;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Waiting for workflows from another process than the one that runs their jobs. */
@PostgresTest(migrated = true)
class WorkflowAwaitTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final TransactionTemplate transaction;
    private final Rowlock web;
    private final Workflows workflows;
    private volatile boolean mended;

    WorkflowAwaitTest(TestDatabase test) {
        Rooms.emptyIn(test);
        DataSource pool = test.dataSource();
        transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        rowlocks.started(quick(pool).unpooled(test.unpooled()).listener(Task.class, this::run));
        web = rowlocks.built(quick(pool).unpooled(test.unpooled()).enqueueOnly());
        workflows = web.workflows();
    }

    private void run(Task task, JobContext job) throws InterruptedException {
        if (task.name().equals("slow")) {
            goOn.await();
        }
        if (task.name().equals("fails") && !mended) {
            throw new DoNotRetryException("no");
        }
    }

    @AfterEach
    void close() throws Exception {
        goOn.countDown();
        rowlocks.close();
    }

    private static Workflow of(String first, String second) {
        return Workflow.named("two")
                .step("first", new Task(first))
                .step("second", new Task(second), s -> s.after("first"));
    }

    @Test
    void whoWaitsGetsWhatBecameOfTheSteps() throws InterruptedException {
        long id = workflows.start(of("a", "b"));

        WorkflowDetails ended = workflows.await(id, LONG);

        assertThat(ended.summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ended.counts()).isEqualTo(new StepCounts(0, 2, 0, 0, 0));
        assertThat(workflows.future(id, LONG).join()).isEqualTo(ended);
    }

    @Test
    void failedAndCancelledOnesHaveEndedAsWell() throws InterruptedException {
        long failed = workflows.start(of("fails", "b"));
        long cancelled = workflows.start(of("slow", "b"));
        CompletableFuture<WorkflowDetails> wait = workflows.future(cancelled, LONG);

        workflows.cancel(cancelled, "ada", null);

        WorkflowDetails details = workflows.await(failed, LONG);
        assertThat(details.summary().state()).isEqualTo(WorkflowState.FAILED);
        assertThat(details.counts()).isEqualTo(new StepCounts(0, 0, 1, 0, 1));
        assertThat(wait.join().summary().state()).isEqualTo(WorkflowState.CANCELLED);
    }

    @Test
    void oneThatRunsAgainAfterARedriveMayBeWaitedForAgain() throws InterruptedException {
        long id = workflows.start(of("fails", "b"));
        workflows.await(id, LONG);
        mended = true;

        web.admin()
                .redrive(workflows.jobs(id, "first", Long.MIN_VALUE, 1).get(0).id());

        assertThat(workflows.find(id).orElseThrow().summary().state()).isNotEqualTo(WorkflowState.FAILED);
        assertThat(workflows.await(id, LONG).summary().state()).isEqualTo(WorkflowState.COMPLETED);
    }

    @Test
    void manyWaitAtOnceForWorkflowsAndForJobs() {
        List<Long> ids = IntStream.range(0, 100)
                .mapToObj(i -> workflows.start(of("a" + i, "b" + i)))
                .toList();
        List<CompletableFuture<WorkflowDetails>> ends =
                ids.stream().map(id -> workflows.future(id, LONG)).toList();
        List<CompletableFuture<Void>> jobs = ids.stream()
                .map(id ->
                        workflows.jobs(id, "second", Long.MIN_VALUE, 1).get(0).id())
                .map(job -> web.results().handle(job).future(LONG))
                .toList();

        assertThat(ends.stream().map(CompletableFuture::join))
                .allMatch(ended -> ended.summary().state() == WorkflowState.COMPLETED)
                .extracting(ended -> ended.summary().id())
                .containsExactlyElementsOf(ids);
        jobs.forEach(CompletableFuture::join);
    }

    @Test
    void aWaitEndsAtItsTimeoutAndTheWorkflowGoesOn() throws InterruptedException {
        long id = workflows.start(of("slow", "b"));

        assertThatThrownBy(() -> workflows.await(id, Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        WorkflowWaitTimeoutException.class,
                        late -> assertThat(late.workflow()).isEqualTo(id))
                .hasMessageContaining("50ms");
        assertThatThrownBy(() -> workflows.future(id, Duration.ofMillis(50)).join())
                .hasCauseInstanceOf(WorkflowWaitTimeoutException.class);
        goOn.countDown();

        assertThat(workflows.await(id, LONG).summary().state()).isEqualTo(WorkflowState.COMPLETED);
    }

    @Test
    void aWorkflowThatThereIsNotSaysSo() {
        assertThatThrownBy(() -> workflows.await(4711, LONG))
                .isInstanceOf(NoSuchWorkflowException.class)
                .hasMessageContaining("there is no workflow 4711");
        assertThatThrownBy(() -> workflows.future(4711, LONG).join()).hasCauseInstanceOf(NoSuchWorkflowException.class);
    }

    @Test
    void nobodyCanWaitInTheTransactionThatStarted() {
        transaction.executeWithoutResult(status -> {
            long id = workflows.start(of("a", "b"));
            assertThatThrownBy(() -> workflows.await(id, LONG))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after its commit");
        });
    }

    @Test
    void aFutureOfTheTransactionThatStartedBeginsToWaitAfterTheCommit() {
        CompletableFuture<WorkflowDetails> committed = transaction.execute(status -> {
            CompletableFuture<WorkflowDetails> future = workflows.future(workflows.start(of("a", "b")), LONG);
            // Whoever waits for one that there is not has been told so: so would this one be by now, had its wait
            // begun.
            assertThatThrownBy(() -> workflows.future(4711, LONG).join());
            return future;
        });
        CompletableFuture<WorkflowDetails> rolledBack = transaction.execute(status -> {
            status.setRollbackOnly();
            return workflows.future(workflows.start(of("a", "b")), LONG);
        });

        assertThat(committed.join().summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThatThrownBy(rolledBack::join).hasCauseInstanceOf(NoSuchWorkflowException.class);
    }

    @Test
    void aTimeoutMustBeMoreThanZero() {
        assertThatThrownBy(() -> workflows.await(1, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0s");
    }

    @Test
    void whoWaitsIsToldThatNobodyLooksAnyMore() {
        CompletableFuture<WorkflowDetails> wait = workflows.future(workflows.start(of("slow", "b")), LONG);

        web.close();

        assertThatThrownBy(wait::join).hasRootCauseMessage("this Rowlock was closed while it was waited for");
    }
}
