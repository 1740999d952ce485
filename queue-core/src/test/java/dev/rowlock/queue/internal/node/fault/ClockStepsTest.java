package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.ServerClock;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The clock of the database's server is set while nodes work, or another server with another clock takes over. */
@LongRunning
class ClockStepsTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LEASE = Duration.ofSeconds(1);

    public record Greet(String name) {}

    record Nap(String name) {}

    private static ServerClock clock;
    private static EmbeddedServer server;
    private final AtomicBoolean snoozed = new AtomicBoolean();
    private TestDatabase database;
    private TestNode node;

    @BeforeAll
    static void startServer() {
        clock = ServerClock.openOrSkip();
        server = EmbeddedServer.start(Map.of(), clock);
    }

    @AfterAll
    static void stopServer() {
        if (clock != null) {
            server.close();
            clock.close();
        }
    }

    @BeforeEach
    void open() {
        clock.set(Duration.ZERO);
        database = server.newDatabase();
        node = new TestNode(database).lease(LEASE, Duration.ofMillis(100), 3);
    }

    @AfterEach
    void close() {
        node.close();
        database.close();
    }

    @Test
    void aDeadNodesJobRunsElsewhereWithinSecondsAlthoughTheClockWasSetBack() {
        node.listener(Greet.class, (context, payload) -> null);
        long id = node.jobs.enqueue(new Greet("Ada"));
        node.others.claimForADeadNode();

        clock.set(HOUR.negated());
        node.start();

        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void aNodeThatWorksWhenTheClockIsSetBackTakesADeadNodesJobsWithinSeconds() {
        node.listener(Greet.class, (context, payload) -> null).start();
        node.awaitState(node.jobs.enqueue(new Greet("Ada")), JobState.COMPLETED);
        node.admin.pause("default");
        long id = node.jobs.enqueue(new Greet("Eve"));
        node.others.claimForADeadNode();
        node.awaitTwoHeartbeats(); // it has seen the other one

        clock.set(HOUR.negated());

        node.admin.resume("default");
        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void nobodyIsDeclaredDeadBecauseTheClockIsSetForwardOrBack() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
                    started.countDown();
                    goOn.await();
                    return null;
                })
                .start();
        try (TestNode other = new TestNode(database).lease(LEASE, Duration.ofMillis(100), 3)) {
            other.listener(Greet.class, (context, payload) -> null);
            long id = node.jobs.enqueue(new Greet("Ada"));
            assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
            other.start();
            other.awaitTwoHeartbeats();
            long first = node.status().nodeId();
            long second = other.status().nodeId();

            for (Duration ahead : new Duration[] {HOUR, HOUR.negated(), Duration.ZERO}) {
                clock.set(ahead);
                node.awaitHeartbeats(2 * 15); // longer than a lease
            }

            goOn.countDown();
            node.awaitEvent("completed " + id);
            assertThat(node.status().nodeId()).isEqualTo(first);
            assertThat(other.status().nodeId()).isEqualTo(second);
            assertThat(node.search.find(id).orElseThrow().attempt()).isEqualTo(1);
        }
    }

    @Test
    void delaysAndSnoozesLastLongerByTheStepUnlessTheyAreBroughtForward() {
        node.listener(Greet.class, (context, payload) -> null)
                .listener(Nap.class, (context, payload) -> {
                    if (snoozed.compareAndSet(false, true)) {
                        throw new SnoozeException(Duration.ofMinutes(10));
                    }
                    return null;
                })
                .start();
        long snoozes = node.jobs.enqueue(new Nap("Eve"));
        node.awaitState(snoozes, JobState.WAITING);
        long delayed = node.jobs.enqueue(new Greet("Ada"), o -> o.delay(Duration.ofMinutes(10)));

        clock.set(HOUR.negated());
        clock.set(HOUR.negated().plusMinutes(15)); // past both delays, counted from then
        long next = node.jobs.enqueue(new Greet("Bob"));

        node.awaitState(next, JobState.COMPLETED);
        assertThat(node.search.find(delayed).orElseThrow().state()).isEqualTo(JobState.WAITING);
        assertThat(node.admin.bringForward(JobFilter.all(), HOUR)).isEqualTo(2);
        node.awaitState(delayed, JobState.COMPLETED);
        node.awaitState(snoozes, JobState.COMPLETED);
    }

    @Test
    void whatWaitedWhenTheClockWasSetBackRunsOnceTheClockHasCaughtUp() {
        node.listener(Greet.class, (context, payload) -> null).start();
        long delayed = node.jobs.enqueue(new Greet("Ada"), o -> o.delay(Duration.ofMinutes(10)));

        clock.set(HOUR.negated());
        node.awaitState(node.jobs.enqueue(new Greet("Bob")), JobState.COMPLETED);
        clock.set(Duration.ofMinutes(11));

        node.awaitState(delayed, JobState.COMPLETED);
    }

    @Test
    void jobsAreEnqueuedAndDoneAsEverAfterTheClockWasSetBackOrForward() {
        node.listener(Greet.class, (context, payload) -> null).start();

        int jobs = 0;
        for (Duration ahead : new Duration[] {Duration.ZERO, HOUR.negated(), HOUR}) {
            clock.set(ahead);

            jobs += node.jobs.enqueueAll(Collections.nCopies(500, new Greet("Ada"))).length;
            node.awaitCount("done", jobs);
        }
    }

    @Test
    void jobsAreDoneOnADayForWhichNobodyHasMadeAPartition() {
        node.listener(Greet.class, (context, payload) -> null).start();
        node.awaitState(node.jobs.enqueue(new Greet("Ada")), JobState.COMPLETED);

        clock.set(Duration.ofDays(40));

        node.awaitState(node.jobs.enqueue(new Greet("Eve")), JobState.COMPLETED);
    }
}
