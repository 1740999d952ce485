package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.Others;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class RecorderTest extends NodeTest {

    record Order(int number) {}

    @Test
    void resultsThatCannotBeWrittenHoldUpTheNextJobsBeforeTheyFillTheMemory(TestDatabase database) throws Exception {
        int characters = 1_000_000;
        long most = OutcomeBacklog.MANY_RESULTS / characters;
        String result = "x".repeat(characters);
        AtomicInteger ran = new AtomicInteger();
        node.concurrency(2).listener(Order.class, (context, payload) -> {
            ran.incrementAndGet();
            return result;
        });
        int jobs = (int) most + 50;
        node.jobs.enqueueAll(IntStream.range(0, jobs).mapToObj(Order::new).toList());

        try (Connection other = database.unpooled().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("LOCK TABLE rowlock.done IN EXCLUSIVE MODE");
            node.start();
            Awaitility.await().until(() -> ran.get() > most);
            // Two threads were at work when there was no more room; a claim more would run within some milliseconds.
            Awaitility.await().during(Duration.ofMillis(500)).until(() -> ran.get() <= most + 3);
        }

        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> ran.get() == jobs);
    }

    @Test
    void theRecorderDoesNotWaitASecondTimeForALockedJob(TestDatabase database) throws SQLException {
        try (Connection business = database.unpooled().getConnection()) {
            business.setAutoCommit(false);
            node.listener(Order.class, (context, payload) -> {
                Others.lockRunning(business, context.id());
                return null;
            });
            long id = node.jobs.enqueue(new Order(1));
            node.start();
            awaitWaitingForALock();
            Awaitility.await().until(() -> !waitsForALock());

            // It is tried again several times meanwhile.
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(5))
                    .during(Duration.ofMillis(1_500))
                    .until(() -> !waitsForALock());

            business.rollback();
            node.awaitState(id, JobState.COMPLETED);
        }
    }

    /** As when a first try is still being committed by a connection that broke. */
    @Test
    void anOutcomeThatCommitsWhileItIsTriedAgainIsNotReportedAsLost() throws Exception {
        try (OpenTransaction firstTry = new OpenTransaction(node.database)) {
            node.listener(Order.class, (context, payload) -> {
                new OutcomeStatements(firstTry.database(), true)
                        .finish(
                                List.of(new OutcomeStatements.Finished(
                                        new Claim(context.id(), context.claimToken()), JobState.COMPLETED, null)),
                                true);
                return null;
            });
            long id = node.jobs.enqueue(new Order(1));

            node.start();
            awaitWaitingForALock();
            firstTry.commit();

            node.awaitEvent("completed " + id);
            assertThat(node.events).containsExactly("completed " + id);
        }
    }

    /** As when the first try was cancelled meanwhile, and its answer got lost. */
    @Test
    void anOutcomeRefusedBecauseItsJobIsCancelledIsReportedAsCancelled() {
        node.listener(Order.class, (context, payload) -> {
            finish(context, JobState.CANCELLED);
            return null;
        });
        long id = node.jobs.enqueue(new Order(1));

        node.start();

        node.awaitEvent("cancelled " + id);
        assertThat(node.events).containsExactly("cancelled " + id);
    }

    /** As when a transactional listener is told that its commit failed, though it succeeded. */
    @Test
    void aFailureRefusedBecauseItsJobIsDoneIsReportedAsCompleted() {
        node.listener(Order.class, (context, payload) -> {
            finish(context, JobState.COMPLETED);
            throw new IllegalStateException("the answer to the commit got lost");
        });
        long id = node.jobs.enqueue(new Order(1));

        node.start();

        node.awaitEvent("completed " + id);
        assertThat(node.events).containsExactly("completed " + id);
    }

    private void finish(JobContext context, JobState state) {
        new OutcomeStatements(node.database, true)
                .finish(
                        List.of(new OutcomeStatements.Finished(
                                new Claim(context.id(), context.claimToken()), state, null)),
                        true);
    }

    @Test
    void theStopRecordsTheOutcomeOfAJobThatIsNoLongerLocked(TestDatabase database) throws SQLException {
        try (Connection business = database.unpooled().getConnection()) {
            business.setAutoCommit(false);
            node.listener(Order.class, (context, payload) -> {
                Others.lockRunning(business, context.id());
                return null;
            });
            long id = node.jobs.enqueue(new Order(1));
            node.start();
            awaitWaitingForALock();
            // Tried again and again by now, so the next try would be some time away.
            Awaitility.await().during(Duration.ofSeconds(1)).until(() -> !waitsForALock());

            business.rollback();
            node.stop();

            assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.COMPLETED);
        }
    }

    @Test
    void aSnoozedJobThatEndsAsCancelledIsReportedAsCancelled() {
        node.listener(Order.class, (context, payload) -> {
            node.elsewhere
                    .sql("UPDATE rowlock.running SET cancel_requested = true WHERE id = ?")
                    .param(context.id())
                    .update();
            throw new SnoozeException(Duration.ofDays(1));
        });
        long id = node.jobs.enqueue(new Order(1));

        node.start();

        node.awaitState(id, JobState.CANCELLED);
        node.awaitEvent("cancelled " + id);
        assertThat(node.events).containsExactly("cancelled " + id);
    }

    private void awaitWaitingForALock() {
        Awaitility.await().pollInterval(Duration.ofMillis(5)).until(this::waitsForALock);
    }

    private boolean waitsForALock() {
        return node.elsewhere.sql("""
                        SELECT EXISTS (SELECT FROM pg_stat_activity
                                        WHERE datname = current_database() AND wait_event_type = 'Lock')
                        """).query(Boolean.class).single();
    }

    @Test
    void aJobThatSomebodyHasLockedHoldsUpNobodyElse(TestDatabase database) throws SQLException {
        try (Connection business = database.unpooled().getConnection()) {
            business.setAutoCommit(false);
            node.listener(Order.class, (context, payload) -> {
                if (payload.contains(":7}")) {
                    Others.lockRunning(business, context.id());
                }
                return null;
            });
            long[] ids = node.jobs.enqueueAll(
                    IntStream.range(0, 50).mapToObj(Order::new).toList());

            node.start();
            long locked = ids[7];
            Arrays.stream(ids).filter(id -> id != locked).forEach(id -> node.awaitState(id, JobState.COMPLETED));

            assertThat(node.search.find(locked).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            business.rollback();
            node.awaitState(locked, JobState.COMPLETED);
            assertThat(node.search.find(locked).orElseThrow().attempt()).isEqualTo(1);
        }
    }
}
