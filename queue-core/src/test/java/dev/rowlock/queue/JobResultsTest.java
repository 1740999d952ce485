package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.result.JobCancelledException;
import dev.rowlock.queue.result.JobDeadException;
import dev.rowlock.queue.result.JobProgress;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.result.JobWaitTimeoutException;
import dev.rowlock.queue.result.NoResultException;
import dev.rowlock.queue.result.NoSuchJobException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Waiting for jobs from another process than the one that runs them. */
@PostgresTest(migrated = true)
@Representative
class JobResultsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    record Add(int one, int other) {}

    record Sum(int value) {}

    record Slow(String name) {}

    record Fails(String name) {}

    record Booked(String name) {}

    private final DataSource pool;
    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);
    private final TransactionTemplate transaction;
    private final TestDatabase test;
    private Rowlock worker;
    private Rowlock web;
    private JobTemplate jobs;
    private JobResults results;

    JobResultsTest(TestDatabase database) {
        Rooms.emptyIn(database);
        this.test = database;
        this.pool = database.dataSource();
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    }

    @BeforeEach
    void start() {
        worker = rowlocks.started(quick(pool)
                .unpooled(test.unpooled())
                .listener(ListenerDefinition.of("Add", (job, json) -> {
                            Add add = JSON.readValue(json, Add.class);
                            return new Sum(add.one() + add.other());
                        })
                        .keepResult(true))
                .listener(Slow.class, (slow, job) -> {
                    job.progress(40, "1,200 of 3,000");
                    running.countDown();
                    goOn.await();
                })
                .listener(ListenerDefinition.of("Booked", (job, json) -> "booked")
                        .transactional(true)
                        .keepResult(true))
                .listener(
                        Fails.class,
                        options -> options.noRetryFor(List.of(IllegalStateException.class)),
                        (fails, job) -> {
                            throw new IllegalStateException("no " + fails.name());
                        }));
        web = rowlocks.built(quick(pool).unpooled(test.unpooled()).enqueueOnly());
        jobs = web.jobs();
        results = web.results();
    }

    @AfterEach
    void close() throws Exception {
        goOn.countDown();
        rowlocks.close();
    }

    @Test
    void whoWaitsGetsTheTypedResult() throws InterruptedException {
        long id = jobs.enqueue(new Add(1, 2));

        assertThat(results.await(id, LONG, Sum.class)).isEqualTo(new Sum(3));
        assertThat(results.handle(id).future(LONG, Sum.class).join()).isEqualTo(new Sum(3));
    }

    record Unmade(int value) {
        Unmade {
            throw new AssertionError("no " + value);
        }
    }

    /** Not only an exception: whoever waits must hear of an error, too. */
    @Test
    void aResultThatCannotBeMadeEndsTheWait() {
        CompletableFuture<Unmade> unmade = results.future(jobs.enqueue(new Add(1, 2)), LONG, Unmade.class);

        assertThatThrownBy(unmade::join).hasStackTraceContaining("no 3");
    }

    @Test
    void theResultOfATransactionalListenerComesToo() throws InterruptedException {
        assertThat(results.await(jobs.enqueue(new Booked("Ada")), LONG, String.class))
                .isEqualTo("booked");
    }

    @Test
    void hundredsWaitAtOnce() {
        List<CompletableFuture<Sum>> sums = IntStream.range(0, 500)
                .mapToObj(i -> results.future(jobs.enqueue(new Add(i, 1)), LONG, Sum.class))
                .toList();

        assertThat(sums.stream().map(CompletableFuture::join).map(Sum::value))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 500).boxed().toList());
    }

    @Test
    void severalMayWaitForOneJob() throws Exception {
        long id = jobs.enqueue(new Slow("one"));
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waits.add(results.handle(id).future(LONG));
        }
        waits.get(0).cancel(true);
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();

        goOn.countDown();

        waits.get(1).get(20, TimeUnit.SECONDS);
        waits.get(2).get(20, TimeUnit.SECONDS);
        assertThat(waits.get(0)).isCancelled();
        assertThat(web.search().find(id).orElseThrow().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aWaitEndsAtItsTimeoutAndTheJobGoesOn() throws Exception {
        long id = jobs.enqueue(new Slow("one"));

        assertThatThrownBy(() -> results.await(id, Duration.ofMillis(50)))
                .isInstanceOf(JobWaitTimeoutException.class)
                .hasMessageContaining("50ms");
        assertThatThrownBy(
                        () -> results.handle(id).future(Duration.ofMillis(50)).join())
                .hasCauseInstanceOf(JobWaitTimeoutException.class);
        goOn.countDown();

        results.await(id, LONG);
    }

    @Test
    void aDeadJobSaysWhatWentWrongLast() {
        long id = jobs.enqueue(new Fails("Ada"));

        assertThatThrownBy(() -> results.await(id, LONG, Sum.class))
                .isInstanceOfSatisfying(JobDeadException.class, dead -> {
                    assertThat(dead.jobId()).isEqualTo(id);
                    assertThat(dead.state()).isEqualTo(JobState.DEAD);
                    assertThat(dead.lastError().orElseThrow().message()).isEqualTo("no Ada");
                });
    }

    @Test
    void aJobThatIsCancelledWhileOneWaitsSaysSo() {
        long id = jobs.enqueue(new Add(1, 1), o -> o.delay(Duration.ofDays(1)));
        CompletableFuture<Void> wait = results.handle(id).future(LONG);

        web.admin().cancel(id);

        assertThatThrownBy(wait::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(JobCancelledException.class);
    }

    @Test
    void aJobThatThereIsNotSaysSo() {
        assertThatThrownBy(() -> results.await(4711, LONG))
                .isInstanceOf(NoSuchJobException.class)
                .hasMessageContaining("there is no job 4711");
    }

    @Test
    void aDeadJobThatIsDiscardedWhileOneWaitsIsNoJob() {
        long id = jobs.enqueue(new Fails("Ada"));
        assertThatThrownBy(() -> results.await(id, LONG)).isInstanceOf(JobDeadException.class);

        web.admin().discard(id);

        assertThatThrownBy(() -> results.await(id, LONG)).isInstanceOf(NoSuchJobException.class);
    }

    @Test
    void aResultThatIsNotKeptSaysHowToKeepIt() throws InterruptedException {
        goOn.countDown();
        long id = jobs.enqueue(new Slow("one"));

        assertThatThrownBy(() -> results.await(id, LONG, String.class))
                .isInstanceOf(NoResultException.class)
                .hasMessageContaining("keepResult = true");
        results.await(id, LONG);
    }

    @Test
    void nobodyCanWaitInTheTransactionThatEnqueued() {
        transaction.executeWithoutResult(status -> {
            long id = jobs.enqueue(new Add(1, 2));
            assertThatThrownBy(() -> results.await(id, LONG))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after its commit");
        });
    }

    @Test
    void anotherTransactionMayWait() {
        long id = jobs.enqueue(new Add(1, 2));

        Sum sum = transaction.execute(status -> {
            try {
                return results.await(id, LONG, Sum.class);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(sum).isEqualTo(new Sum(3));
    }

    @Test
    void aFutureOfTheTransactionThatEnqueuedBeginsToWaitAfterTheCommit() {
        CompletableFuture<Sum> committed =
                transaction.execute(status -> results.future(jobs.enqueue(new Add(1, 2)), LONG, Sum.class));
        CompletableFuture<Sum> rolledBack = transaction.execute(status -> {
            status.setRollbackOnly();
            return results.future(jobs.enqueue(new Add(1, 2)), LONG, Sum.class);
        });

        assertThat(committed.join()).isEqualTo(new Sum(3));
        assertThatThrownBy(rolledBack::join).hasCauseInstanceOf(NoSuchJobException.class);
    }

    @Test
    void aHandleTellsTheProgress() throws Exception {
        long id = jobs.enqueue(new Slow("one"));
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(results.handle(id).progress()).contains(new JobProgress(40, "1,200 of 3,000"));

        goOn.countDown();
        results.await(id, LONG);
        assertThat(results.handle(id).progress()).isEmpty();
    }

    @Test
    void aTimeoutMustBeMoreThanZero() {
        assertThatThrownBy(() -> results.await(1, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0s");
    }

    @Test
    void whoWaitsIsToldThatNobodyAsksAnyMore() {
        CompletableFuture<Void> wait =
                results.handle(jobs.enqueue(new Slow("one"))).future(LONG);

        web.close();

        assertThatThrownBy(wait::join).hasRootCauseMessage("this Rowlock was closed while it was waited for");
    }
}
