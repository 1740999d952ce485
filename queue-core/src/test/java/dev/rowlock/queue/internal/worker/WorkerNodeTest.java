package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.CancelResult;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(freshPerTest = true)
@Representative
class WorkerNodeTest {

    record Greet(String name) {}

    record Unheard(String name) {}

    private TestNode node;

    @BeforeEach
    void prepare(TestDatabase database) {
        node = new TestNode(database);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aJobRunsAndItsResultIsKept() {
        node.listener(Greet.class, (context, payload) -> Map.of("greeting", payload.length()))
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.headers(Map.of("trace", "1")));
        node.awaitState(id, JobState.COMPLETED);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.result()).isEqualTo("{\"greeting\":14}");
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.headers()).containsEntry("trace", "1");
    }

    @Test
    void aJobOfARolledBackTransactionNeverRuns() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> runs.incrementAndGet()).start();

        node.transactions.executeWithoutResult(status -> {
            node.jobs.enqueue(new Greet("nobody"));
            status.setRollbackOnly();
        });
        long later = node.jobs.enqueue(new Greet("somebody"));
        node.awaitState(later, JobState.COMPLETED);

        assertThat(runs).hasValue(1);
        assertThat(node.count("job")).isEqualTo(1);
    }

    @Test
    void aFailingJobIsTriedAgainAndDiesWithItsErrorHistory() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> {
                    throw new IllegalStateException("no " + runs.incrementAndGet());
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(2));
        node.awaitState(id, JobState.FAILED);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.attempt()).isEqualTo(3);
        assertThat(job.errors()).extracting(JobDetails.FailedAttempt::message).containsExactly("no 1", "no 2", "no 3");
        assertThat(job.errors()).extracting(JobDetails.FailedAttempt::attempt).containsExactly(1, 2, 3);
        assertThat(job.errors().get(0).trace()).contains("WorkerNodeTest");
    }

    @Test
    void aJobThatCannotSucceedDiesAtOnce() {
        node.listener(Greet.class, (context, payload) -> {
                    throw new DoNotRetryException("never");
                })
                .listener(
                        Unheard.class,
                        (context, payload) -> {
                            throw new java.io.FileNotFoundException("gone");
                        },
                        TestNode.noRetryFor(java.io.IOException.class))
                .start();

        long said = node.jobs.enqueue(new Greet("Ada"));
        long declared = node.jobs.enqueue(new Unheard("Ada"));
        node.awaitState(said, JobState.FAILED);
        node.awaitState(declared, JobState.FAILED);

        assertThat(node.search.find(said).orElseThrow().attempt()).isEqualTo(1);
        assertThat(node.search.find(declared).orElseThrow().attempt()).isEqualTo(1);
    }

    @Test
    void anErrorThrownByAListenerFailsItsJobAndNotTheWorker() {
        AtomicInteger runs = new AtomicInteger();
        node.concurrency(1)
                .listener(Greet.class, (context, payload) -> {
                    if (runs.incrementAndGet() == 1) {
                        throw new StackOverflowError("deep");
                    }
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().errors()).hasSize(1);
    }

    @Test
    void aSnoozedJobRunsAgainAndTheAttemptDoesNotCount() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> {
                    if (runs.incrementAndGet() < 4) {
                        throw new SnoozeException(Duration.ofMillis(10));
                    }
                    return context.attempt();
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(0));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("1");
    }

    @Test
    void aDelayedJobWaitsForTheDatabasesClock() {
        node.listener(Greet.class, (context, payload) -> null).start();

        long soon = node.jobs.enqueue(new Greet("soon"), o -> o.delay(Duration.ofMillis(300)));
        long never = node.jobs.enqueue(new Greet("later"), o -> o.delay(Duration.ofHours(1)));
        node.awaitState(soon, JobState.COMPLETED);

        JobDetails job = node.search.find(soon).orElseThrow();
        assertThat(Duration.between(job.enqueuedAt(), job.claimedAt())).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(node.search.find(never).orElseThrow().state()).isEqualTo(JobState.WAITING);
    }

    @Test
    void moreUrgentJobsRunFirst() {
        Semaphore gate = new Semaphore(0);
        StringBuffer order = new StringBuffer();
        node.concurrency(1)
                .listener(Greet.class, (context, payload) -> {
                    gate.acquire();
                    order.append(payload.replaceAll(".*:\"|\"}", ""));
                    return null;
                })
                .start();

        long first = node.jobs.enqueue(new Greet("a"));
        node.awaitState(first, JobState.RUNNING);
        node.jobs.enqueue(new Greet("d"), o -> o.priority(-5));
        node.jobs.enqueue(new Greet("c"));
        node.jobs.enqueue(new Greet("b"), o -> o.priority(5));
        gate.release(4);

        Awaitility.await().until(() -> order.length() == 4);
        assertThat(order).hasToString("abcd");
    }

    @Test
    void aJobOfAnUnknownTypeIsPutAsideWithoutCostAndBlocksNobody() {
        node.concurrency(1).listener(Greet.class, (context, payload) -> null).start();

        long unknown = node.jobs.enqueue(new Unheard("who"), o -> o.priority(9));
        long known = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(known, JobState.COMPLETED);
        node.awaitEvent("unknown-type " + unknown);

        JobDetails aside = node.search.find(unknown).orElseThrow();
        assertThat(aside.attempt()).isZero();
        assertThat(aside.errors()).isEmpty();
        assertThat(aside.state()).isIn(JobState.WAITING, JobState.READY, JobState.RUNNING);
    }

    @Test
    void aHandlerPastItsDeadlineIsInterruptedAndTheAttemptFails() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            new CountDownLatch(1).await();
                            return null;
                        },
                        TestNode.timeout(Duration.ofMillis(150)))
                .start();

        long id = node.jobs.enqueue(new Greet("slow"), o -> o.maxRetries(1));
        node.awaitState(id, JobState.FAILED);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.errors()).extracting(JobDetails.FailedAttempt::type).containsExactly("timeout", "timeout");
    }

    @Test
    void aHandlerCanExtendItsDeadline() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            context.extend(Duration.ofMinutes(1));
                            assertThat(context.deadline()).isPresent();
                            new CountDownLatch(1).await(400, TimeUnit.MILLISECONDS);
                            return null;
                        },
                        TestNode.timeout(Duration.ofMillis(200)))
                .start();

        long id = node.jobs.enqueue(new Greet("slow"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().attempt()).isEqualTo(1);
    }

    @Test
    void aRunningJobThatIsCancelledIsInterruptedAndEndsAsCancelled() {
        AtomicReference<Boolean> told = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        told.set(context.cancelled());
                    }
                    return null;
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.RUNNING);

        CancelResult result = node.admin.cancel(id);
        node.awaitState(id, JobState.CANCELLED);

        assertThat(result).isEqualTo(CancelResult.REQUESTED);
        assertThat(told).hasValue(true);
        assertThat(node.admin.cancel(id)).isEqualTo(CancelResult.ALREADY_ENDED);
    }

    @Test
    void aPausedQueueClaimsNothingUntilItIsResumed() {
        node.listener(Greet.class, (context, payload) -> null).start();
        Awaitility.await().until(() -> node.status().nodeId() > 0);
        node.admin.pause("default");
        node.awaitTwoHeartbeats();

        long id = node.jobs.enqueue(new Greet("patient"));
        node.awaitTwoHeartbeats();
        node.awaitTwoHeartbeats();
        JobState whilePaused = node.search.find(id).orElseThrow().state();
        node.admin.resume("default");
        node.awaitState(id, JobState.COMPLETED);

        assertThat(whilePaused).isEqualTo(JobState.READY);
        assertThat(node.admin.pausedQueues()).isEmpty();
    }

    @Test
    void progressCanBeReadWhileTheJobRuns() {
        Semaphore gate = new Semaphore(0);
        node.listener(Greet.class, (context, payload) -> {
                    context.progress(40, "almost half");
                    gate.acquire();
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        Awaitility.await().until(() -> node.search.find(id).orElseThrow().progress() != null);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.progress()).isEqualTo(40);
        assertThat(job.progressNote()).isEqualTo("almost half");
        gate.release();
        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void aTransactionalListenerCommitsItsRowsAndDoneTogether() {
        node.sql.sql("CREATE TABLE effect (job bigint)").update();
        AtomicInteger runs = new AtomicInteger();
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            node.sql
                                    .sql("INSERT INTO effect VALUES (?)")
                                    .param(context.id())
                                    .update();
                            if (runs.incrementAndGet() == 1) {
                                throw new IllegalStateException("after the insert");
                            }
                            return "yes";
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);
        node.awaitEvent("completed " + id);

        assertThat(node.sql.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isEqualTo(1);
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"yes\"");
    }

    @Test
    void aTransactionalListenerMayCompleteItsJobItself() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            context.completeInTransaction("mine");
                            assertThatThrownBy(() -> context.completeInTransaction("again"))
                                    .isInstanceOf(IllegalStateException.class);
                            assertThatThrownBy(() -> context.progress(1, null))
                                    .isInstanceOf(IllegalStateException.class);
                            return "ignored";
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"mine\"");
    }

    @Test
    void aCompletionThatIsRolledBackFailsTheAttempt() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> {
                    node.transactions.executeWithoutResult(status -> {
                        context.completeInTransaction("try " + runs.incrementAndGet());
                        if (runs.get() == 1) {
                            status.setRollbackOnly();
                        }
                    });
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.result()).isEqualTo("\"try 2\"");
        assertThat(job.errors()).hasSize(1);
    }

    @Test
    void aCompletionThatIsUndoneBySavepointFailsTheAttempt() {
        AtomicInteger runs = new AtomicInteger();
        TransactionTemplate nested = new TransactionTemplate(node.transactions.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        node.listener(Greet.class, (context, payload) -> {
                    node.transactions.executeWithoutResult(outer -> nested.executeWithoutResult(inner -> {
                        context.completeInTransaction("try " + runs.incrementAndGet());
                        if (runs.get() == 1) {
                            inner.setRollbackOnly();
                        }
                    }));
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"try 2\"");
    }

    @Test
    void suspectsOfACrashAllCompleteAlthoughTheyStartOneByOne() {
        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, 20).mapToObj(i -> new Greet("g" + i)).toList());
        claimForADeadNode();

        node.lease(Duration.ofSeconds(1), Duration.ofMillis(100), 3)
                .listener(Greet.class, (context, payload) -> context.crashes())
                .start();
        for (long id : ids) {
            node.awaitState(id, JobState.COMPLETED);
        }

        assertThat(node.sql
                        .sql("SELECT count(*) FROM rowlock.done WHERE crashes = 1")
                        .query(Long.class)
                        .single())
                .isEqualTo(20);
    }

    @Test
    void aTransactionalListenerThatLostItsClaimRollsBack() {
        node.sql.sql("CREATE TABLE effect (job bigint)").update();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            node.sql
                                    .sql("INSERT INTO effect VALUES (?)")
                                    .param(context.id())
                                    .update();
                            takeAway(context);
                            try {
                                context.completeInTransaction(null);
                            } catch (ClaimLostException e) {
                                thrown.set(e);
                                throw e;
                            }
                            return null;
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitEvent("lost " + id);

        assertThat(thrown.get()).isInstanceOf(ClaimLostException.class);
        assertThat(node.sql.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isZero();
        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void anOutcomeWhoseClaimWasLostIsRefused() {
        node.listener(Greet.class, (context, payload) -> {
                    takeAway(context);
                    assertThatThrownBy(() -> context.progress(1, null)).isInstanceOf(ClaimLostException.class);
                    assertThatThrownBy(() -> context.extend(Duration.ofSeconds(9)))
                            .isInstanceOf(ClaimLostException.class);
                    return "refuse me";
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitEvent("lost " + id);

        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
        assertThat(node.search.find(id).orElseThrow().result()).isNull();
    }

    @Test
    void aJobWhoseNodeDiedRunsAgainElsewhere() {
        long id = node.jobs.enqueue(new Greet("orphan"));
        claimForADeadNode();

        node.lease(Duration.ofSeconds(1), Duration.ofMillis(100), 3)
                .listener(Greet.class, (context, payload) -> context.crashes() + "/" + context.attempt())
                .start();
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"1/1\"");
    }

    @Test
    void aJobThatBringsDownItsNodesIsQuarantined() {
        long id = node.jobs.enqueue(new Greet("poison"));
        claimForADeadNode();

        node.lease(Duration.ofSeconds(1), Duration.ofMillis(100), 1)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        node.awaitState(id, JobState.QUARANTINED);

        assertThat(node.search.find(id).orElseThrow().errors())
                .extracting(JobDetails.FailedAttempt::type)
                .containsExactly("crash");
    }

    @Test
    void aNodeThatWasDeclaredDeadInterruptsItsHandlersAndRegistersAnew() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
                    try {
                        new CountDownLatch(1).await();
                        return null;
                    } finally {
                        interrupted.countDown();
                    }
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.RUNNING);
        long firstNode = node.status().nodeId();

        node.sql.sql("DELETE FROM rowlock.node").update();

        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
        Awaitility.await().until(() -> node.status().nodeId() > firstNode);
        assertThat(node.events).doesNotContain("completed " + id);
    }

    @Test
    void aShutdownLetsRunningJobsFinishAndGivesBackTheOthersAtNoCost() {
        Semaphore gate = new Semaphore(0);
        node.concurrency(2)
                .listener(Greet.class, (context, payload) -> {
                    gate.acquire();
                    return null;
                })
                .start();
        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, 6).mapToObj(i -> new Greet("g" + i)).toList());
        Awaitility.await().until(() -> node.count("running") == 2);
        gate.release(2);

        node.stop();

        assertThat(node.count("running")).isZero();
        assertThat(node.count("ready") + node.count("done")).isEqualTo(ids.length);
        assertThat(node.sql
                        .sql("SELECT coalesce(max(attempt), 0) FROM rowlock.ready")
                        .query(Integer.class)
                        .single())
                .isZero();
        assertThat(node.count("node")).isZero();
    }

    @Test
    void aShutdownInterruptsWhatDoesNotFinishInTimeAndGivesItBackAtNoCost() {
        node.drain(Duration.ofMillis(200))
                .listener(Greet.class, (context, payload) -> {
                    new CountDownLatch(1).await();
                    return null;
                })
                .start();
        long id = node.jobs.enqueue(new Greet("slow"));
        node.awaitState(id, JobState.RUNNING);

        node.stop();

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.state()).isEqualTo(JobState.READY);
        assertThat(job.attempt()).isZero();
        assertThat(job.errors()).isEmpty();
    }

    @Test
    void aNodeStartsAgainAfterAStop() {
        node.listener(Greet.class, (context, payload) -> null).start();
        node.stop();
        node.start();

        long id = node.jobs.enqueue(new Greet("again"));

        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void whereDoneJobsAreNotKeptACompletedJobIsGone() {
        node.retention(new RetentionSettings(Duration.ZERO, null))
                .listener(Greet.class, (context, payload) -> null)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitEvent("completed " + id);

        assertThat(node.search.find(id)).isEmpty();
        assertThat(node.count("done")).isZero();
    }

    @Test
    void tenThousandJobsAllRunOnce() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> {
                    runs.incrementAndGet();
                    return null;
                })
                .start();

        node.jobs.enqueueAll(
                IntStream.range(0, 10_000).mapToObj(i -> new Greet("g" + i)).toList());
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> node.count("done") == 10_000);

        assertThat(runs).hasValue(10_000);
        assertThat(node.count("ready") + node.count("running") + node.count("dead"))
                .isZero();
    }

    /** Another owner: as if the job had been rescued and claimed by somebody else. */
    private void takeAway(JobContext context) {
        int changed = node.elsewhere
                .sql("UPDATE rowlock.running SET token = nextval('rowlock.claim_token') WHERE id = ?")
                .param(context.id())
                .update();
        assertThat(changed).isEqualTo(1);
    }

    /** What a node leaves behind that was killed a long time ago. */
    private void claimForADeadNode() {
        node.sql.sql("""
                INSERT INTO rowlock.node VALUES (nextval('rowlock.node_id'), 'dead', now() - interval '1 h',
                    now() - interval '1 h', now() - interval '59 min', now() - interval '1 h', 1000)
                """).update();
        node.sql.sql("""
                WITH r AS (DELETE FROM rowlock.ready RETURNING *)
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload)
                SELECT id, nextval('rowlock.claim_token'), currval('rowlock.node_id'), ready_at, enqueued_at, now(), rank, 1, 0, queue, type, payload FROM r
                """).update();
    }
}
