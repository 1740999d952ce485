package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Nodes that stop and start again, queues that are paused. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class StopAndPauseTest extends NodeTest {

    @Test
    void otherNodesHearThatAJobWentBackToItsPlace(TestDatabase database) throws SQLException {
        node.drain(Duration.ofMillis(50));
        node.listener(Greet.class, (context, payload) -> {
                    new CountDownLatch(1).await();
                    return null;
                })
                .start();
        long id = node.jobs.enqueue(new Greet("long"));
        node.awaitState(id, JobState.RUNNING);
        try (Connection listening = database.unpooled().getConnection()) {
            listening.createStatement().execute("LISTEN rowlock_rowlock");

            node.stop();

            awaitHeard(listening, ".*\\|b\\|0\\|1\\|.*\\|default");
        }
    }

    private static void awaitHeard(Connection listening, String message) throws SQLException {
        PGConnection notifications = listening.unwrap(PGConnection.class);
        Awaitility.await()
                .until(() -> Stream.of(notifications.getNotifications(100))
                        .anyMatch(heard -> heard.getParameter().matches(message)));
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
        assertThat(node.admin.pauses()).isEmpty();
    }

    @Test
    void aShutdownLetsRunningJobsFinishAndGivesBackTheOthersAtNoCost() throws InterruptedException {
        Semaphore gate = new Semaphore(0);
        CountDownLatch begun = new CountDownLatch(2);
        node.concurrency(2)
                .listener(Greet.class, (context, payload) -> {
                    begun.countDown();
                    gate.acquire();
                    return null;
                })
                .start();
        node.jobs.enqueueAll(
                IntStream.range(0, 6).mapToObj(i -> new Greet("g" + i)).toList());
        begun.await(); // a claimed job that has not begun goes back

        CompletableFuture<Void> stop = CompletableFuture.runAsync(node::stop);
        Awaitility.await().until(StopAndPauseTest::nobodyClaims);
        gate.release(2); // whatever begins now goes back in the end
        stop.join();

        assertThat(node.count("running")).isZero();
        assertThat(node.count("done")).isEqualTo(2);
        assertThat(node.count("ready")).isEqualTo(4);
        assertThat(node.sql
                        .sql("SELECT coalesce(max(attempt), 0) FROM rowlock.ready")
                        .query(Integer.class)
                        .single())
                .isZero();
        assertThat(node.count("node")).isZero();
    }

    private static boolean nobodyClaims() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("rowlock-fetcher"));
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
    void aShutdownGivesBackTheJobOfAHandlerThatIgnoresInterruptsAndHearsNoMoreOfIt() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        node.drain(Duration.ofMillis(100))
                .listener(Greet.class, (context, payload) -> {
                    awaitUninterruptibly(end);
                    ended.countDown();
                    return "too late";
                })
                .start();
        long id = node.jobs.enqueue(new Greet("deaf"));
        node.awaitState(id, JobState.RUNNING);
        Awaitility.await().until(() -> node.status().active() == 1);

        node.stop();
        JobDetails atTheStop = node.search.find(id).orElseThrow();
        end.countDown();
        ended.await();

        assertThat(atTheStop.state()).isEqualTo(JobState.READY);
        assertThat(atTheStop.attempt()).isZero();
        assertThat(node.events).containsExactly("released " + id);
        assertThat(node.search.find(id))
                .hasValueSatisfying(job -> assertThat(job.state()).isEqualTo(JobState.READY));
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean waiting = true;
        while (waiting) {
            try {
                latch.await();
                waiting = false;
            } catch (InterruptedException e) {
                // It ignores that.
            }
        }
    }

    @Test
    void aNodeStartsAgainAfterAStop() {
        node.listener(Greet.class, (context, payload) -> null).start();
        node.stop();
        node.start();

        long id = node.jobs.enqueue(new Greet("again"));

        node.awaitState(id, JobState.COMPLETED);
    }

    @LongRunning
    @Test
    void aClaimThatIsUnderWayForSecondsAtAStopCostsItsJobNothing() {
        claimsTake(Duration.ofSeconds(4));
        node.drain(Duration.ofSeconds(20)).listener(Greet.class, (context, payload) -> null);
        long id = node.jobs.enqueue(new Greet("claimed at the last moment"));
        node.start();
        awaitClaimUnderWay();

        node.stop();

        assertBackAtNoCost(id);
    }

    @Test
    void aClaimThatOutlastsTheDrainCostsItsJobNothing() {
        claimsTake(Duration.ofSeconds(25));
        node.drain(Duration.ofMillis(50)).listener(Greet.class, (context, payload) -> null);
        long id = node.jobs.enqueue(new Greet("claimed too late"));
        node.start();
        awaitClaimUnderWay();

        node.stop();

        assertBackAtNoCost(id);
    }

    @Test
    void aStopGivesBackJobsWhoseClaimWasNeverAnswered(TestDatabase database) throws Exception {
        LostAnswers answers = new LostAnswers(database.dataSource());
        try (TestNode other = new TestNode(database, answers.dataSource());
                Connection listening = database.unpooled().getConnection()) {
            other.listener(Greet.class, (context, payload) -> null);
            long id = node.jobs.enqueue(new Greet("stranded"));
            answers.loseTheNextClaim();
            other.start();
            answers.awaitLost();
            listening.createStatement().execute("LISTEN rowlock_rowlock");

            other.stop();

            assertBackAtNoCost(id);
            awaitHeard(listening, ".*\\|k\\|.*\\|default"); // it may have a key, or have held a place of a limit
        }
    }

    @Test
    void aNodeThatBeatsSeldomLeavesAtOnceWhenItStops() {
        node.lease(Duration.ofHours(1), Duration.ofMinutes(20), 3)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        node.awaitState(node.jobs.enqueue(new Greet("Ada")), JobState.COMPLETED);

        node.stop();

        assertThat(node.count("node")).isZero();
    }

    private void claimsTake(Duration time) {
        node.sql.sql("""
                CREATE FUNCTION rowlock.slowly() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_sleep(%d); RETURN new; END $$
                """.formatted(time.toSeconds())).update();
        node.sql
                .sql("CREATE TRIGGER slowly BEFORE INSERT ON rowlock.running EXECUTE FUNCTION rowlock.slowly()")
                .update();
    }

    private void awaitClaimUnderWay() {
        Awaitility.await()
                .until(() -> node.elsewhere
                        .sql("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')")
                        .query(Boolean.class)
                        .single());
    }

    private void assertBackAtNoCost(long id) {
        assertThat(node.count("node")).isZero();
        assertThat(node.elsewhere
                        .sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                        .query(Long.class)
                        .single())
                .as("claims under way")
                .isZero();
        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.state()).isEqualTo(JobState.READY);
        assertThat(job.attempt()).isZero();
    }
}
