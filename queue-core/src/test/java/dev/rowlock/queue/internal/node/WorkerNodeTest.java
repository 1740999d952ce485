package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@Representative
class WorkerNodeTest extends NodeTest {

    /** As seldom as polls may be: only wake-ups count. */
    private static final Duration SELDOM = Duration.ofMinutes(10);

    record Unheard(String name) {}

    @Test
    void aFailingJobIsTriedAgainAndDiesWithItsErrorHistory() {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Greet.class, (context, payload) -> {
                    throw new IllegalStateException("no " + runs.incrementAndGet());
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(2));
        node.awaitState(id, JobState.DEAD);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.attempt()).isEqualTo(3);
        assertThat(job.errors()).extracting(FailedAttempt::message).containsExactly("no 1", "no 2", "no 3");
        assertThat(job.errors()).extracting(FailedAttempt::attempt).containsExactly(1, 2, 3);
        assertThat(job.errors()).extracting(FailedAttempt::nodeId).containsOnly(job.nodeId());
        assertThat(job.errors().get(0).trace()).contains("WorkerNodeTest");
        assertThat(job.errors())
                .allSatisfy(error -> assertThat(error.startedAt()).isBetween(job.enqueuedAt(), error.at()))
                .last()
                .satisfies(error -> assertThat(error.startedAt()).isEqualTo(job.claimedAt()));
    }

    @Test
    void aJobThatCannotSucceedDiesAtOnce() {
        node.listener(Greet.class, (context, payload) -> {
                    throw new DoNotRetryException("never");
                })
                .listener(
                        Unheard.class,
                        (context, payload) -> {
                            throw new IllegalStateException(new java.io.FileNotFoundException("gone"));
                        },
                        TestNode.noRetryFor(java.io.IOException.class))
                .start();

        long said = node.jobs.enqueue(new Greet("Ada"));
        long declared = node.jobs.enqueue(new Unheard("Ada"));
        node.awaitState(said, JobState.DEAD);
        node.awaitState(declared, JobState.DEAD);

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
    void aCompletedJobIsGoneIfDoneJobsAreNotKept() {
        node.retention(new RetentionSettings(Duration.ZERO, null))
                .listener(Greet.class, (context, payload) -> null)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitEvent("completed " + id);

        assertThat(node.search.find(id)).isEmpty();
        assertThat(node.count("done")).isZero();
    }

    @Test
    void claimsNoteHowFarTheyGotOnlyIfThereAreOtherNodes() {
        node.listener(Greet.class, (context, payload) -> null).start();
        drain(2_000);
        assertThat(node.count("reached")).isZero();

        node.others.addNodes(1);
        node.awaitTwoHeartbeats();

        Awaitility.await().until(() -> {
            drain(2_000);
            return node.count("reached") > 0;
        });
    }

    @Test
    void aNodeTellsOthersHowOftenItsListenersTryAgain() {
        node.listener(Greet.class, (context, payload) -> null).start();
        Awaitility.await().until(() -> node.status().nodeId() > 0);

        assertThat(node.sql
                        .sql("SELECT retries = '{\"Greet\": {\"maxRetries\": 3, \"waits\": [20]}}' FROM rowlock.node")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void aNodeHearsOfWhatOthersEnqueue() {
        node.pollInterval(SELDOM)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        node.awaitHearing();

        long id;
        try (Notifier notifier = new Notifier(new SendWakeup(node.database))) {
            id = node.others.jobs(new WakeupBus(notifier)).enqueue(new Greet("Ada"));
        }

        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void aNodeThatIsNotFirstLooksForAJobALittleLater() {
        node.pollInterval(SELDOM)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        node.others.addNodes(3);
        node.awaitTwoHeartbeats();
        node.awaitHearing();

        long id = node.others.jobs(Wakeups.NONE).enqueue(new Greet("Ada"));
        node.others.tellOfAJob(); // the second of four nodes looks first, so the first looks last

        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void aNodeHearsFromOthersWhenTheNextJobIsDue() {
        node.pollInterval(SELDOM)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        node.awaitHearing();

        long id = node.others.jobs(Wakeups.NONE).enqueue(new Greet("Ada"), o -> o.delay(Duration.ofMillis(50)));
        try (Notifier notifier = new Notifier(new SendWakeup(node.database))) {
            notifier.dueJobsMoved(Duration.ofMillis(50), 1);
        }

        node.awaitState(id, JobState.COMPLETED);
    }

    private void drain(int jobs) {
        long before = node.count("done");
        node.jobs.enqueueAll(
                IntStream.range(0, jobs).mapToObj(i -> new Greet("g" + i)).toList());
        Awaitility.await().until(() -> node.count("done") == before + jobs);
    }

    @Test
    @DisabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads can be had there")
    void aStartThatFailsHalfWayLeavesNothingBehind() {
        node.virtualThreads().listener(Greet.class, (context, payload) -> null);
        Set<Thread> ofOtherTests = Thread.getAllStackTraces().keySet();

        assertThatThrownBy(node::start).hasMessageContaining("virtual threads need JDK 21");

        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> !ofOtherTests.contains(thread))
                        .noneMatch(thread -> thread.getName().startsWith("rowlock-")));
        assertThat(node.count("node")).isZero();
        assertThat(node.status()).isEqualTo(WorkerNode.STOPPED);
    }
}
