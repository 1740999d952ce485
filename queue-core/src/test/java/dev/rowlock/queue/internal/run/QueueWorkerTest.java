package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.claim.ClaimedRow;
import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.node.NodeParts;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Threads;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue's threads and a recorder, without a claimer. */
@PostgresTest(migrated = true)
class QueueWorkerTest {

    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);
    private TestDatabase database;
    private Rooms rooms;
    private Notifier notifier;
    private NodeParts parts;
    private QueueWorker worker;

    @BeforeEach
    void prepare(TestDatabase database) {
        this.database = database;
        start(ListenerDefinition.of("send", (context, payload) -> {
            runs.incrementAndGet();
            if (!context.key().equals(Optional.of("quick"))) {
                release.await();
            }
            return null;
        }));
    }

    private void start(ListenerDefinition listener) {
        rooms = Rooms.emptyIn(database);
        notifier = new Notifier(new SendWakeup(rooms.database()));
        parts = NodeParts.assemble(
                new NodeSettings(
                        new WorkerSettings(2, Map.of(), FetchSettings.DEFAULT, Duration.ofSeconds(1), false),
                        LeaseSettings.defaults("test"),
                        RetentionSettings.DEFAULT,
                        RetryPolicy.DEFAULT,
                        1 << 20,
                        false),
                new NodeServices(
                        rooms.database(),
                        database.unpooled(),
                        TestNode.codec(),
                        Extensions.NONE,
                        new WakeupBus(notifier),
                        null,
                        Admissions.ALL),
                List.of(listener.queue(Rooms.QUEUE)));
        worker = parts.queues().get(0);
        worker.start(Threads.daemon("worker"));
        new EndlessTask("recorder", parts.recorder()).thread().start();
    }

    @AfterEach
    void close() {
        release.countDown();
        worker.stop();
        parts.recorder().stop(Duration.ZERO);
        parts.deadlines().close();
        notifier.close();
    }

    @Test
    void jobsBeginWhoseClaimTookLongAndStillStands() {
        List<ClaimedJob> jobs = rooms.running(2);

        worker.accept(jobs, longAgo());

        Awaitility.await().until(() -> runs.get() == 2);
    }

    @Test
    void noJobBeginsWhoseClaimTookLongAndIsLost() {
        List<ClaimedJob> jobs = rooms.running(3);
        rooms.execute(
                "UPDATE rowlock.running SET token = token + 1000"); // taken and claimed by somebody else meanwhile

        worker.accept(jobs, longAgo());

        Awaitility.await().until(() -> worker.held().tokens().count() == 0);
        assertThat(runs).hasValue(0);
        assertThat(rooms.count("running")).isEqualTo(3);
    }

    @Test
    void aJobThatHasWaitedTooLongSinceTheAnswerGoesBackThoughItsClaimStands() {
        worker.accept(rooms.running(3), System.nanoTime());
        long accepted = System.nanoTime();
        Awaitility.await().until(() -> runs.get() == 2);
        Awaitility.await()
                .until(() -> System.nanoTime() - accepted
                        > Buffer.longestWait(FetchSettings.DEFAULT).toNanos());

        release.countDown();

        Awaitility.await().until(() -> worker.held().tokens().count() == 0);
        assertThat(runs).hasValue(2);
        assertThat(rooms.count("ready")).isEqualTo(1);
    }

    /** As on a node that was frozen past its lease while the first one waited for the second. */
    @Test
    void noJobOfAChunkBeginsWhoseClaimWasLostWhileItWaitedForOthers() {
        close();
        Duration linger = Duration.ofSeconds(10);
        start(ListenerDefinition.ofChunks("send", jobs -> {
                    runs.addAndGet(jobs.size());
                    return ChunkResult.ALL_COMPLETED;
                })
                .batch(2)
                .linger(linger));
        List<ClaimedJob> jobs = rooms.running(2);
        worker.accept(jobs.subList(0, 1), longAgo() - linger.toNanos());
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().values().stream()
                        .flatMap(Arrays::stream)
                        .anyMatch(frame -> frame.getClassName().endsWith(".Gathering")
                                && frame.getMethodName().equals("fill")));
        rooms.execute("UPDATE rowlock.running SET token = token + 1000");

        worker.accept(jobs.subList(1, 2), System.nanoTime());

        Awaitility.await().until(() -> worker.held().tokens().count() == 0);
        assertThat(runs).hasValue(1);
    }

    private static long longAgo() {
        return System.nanoTime()
                - Buffer.longestWait(FetchSettings.DEFAULT).plusMillis(1).toNanos();
    }

    @Test
    void aJobThatWasTakenFromAHandlerIsNotBegunBesideThatHandler() {
        ClaimedJob first = rooms.running();
        worker.accept(List.of(first), System.nanoTime());
        Awaitility.await().until(() -> runs.get() == 1);

        worker.accept(List.of(takenAndClaimedAgain(first)), System.nanoTime());

        Awaitility.await().until(() -> rooms.count("waiting") == 1);
        assertThat(runs).hasValue(1);
        assertThat(rooms.truth("SELECT attempt = 1 AND reason = 'not-started' FROM rowlock.waiting"))
                .isTrue();
    }

    @Test
    void aSuspectWhoseClaimIsLostDoesNotBegin() {
        rooms.ready();
        rooms.execute("UPDATE rowlock.ready SET crashes = 2");
        ClaimedJob suspect = rooms.claim(rooms.node(), 1).get(0);
        rooms.execute("UPDATE rowlock.running SET token = nextval('rowlock.claim_token')");

        worker.accept(List.of(suspect), System.nanoTime());

        Awaitility.await().until(() -> worker.held().tokens().count() == 0);
        assertThat(runs).hasValue(0);
        assertThat(rooms.count("running")).isEqualTo(1);
    }

    @Test
    void jobsHeldWhenTheLeaseIsLostMakeRoomForOthersAtOnce() {
        worker.accept(rooms.running(50), System.nanoTime());
        Awaitility.await().until(() -> runs.get() == 2);
        int demand = worker.demand(Kind.PLAIN, Duration.ZERO);

        worker.abandon();

        Awaitility.await().until(() -> worker.held().tokens().count() == 0);
        assertThat(demand).isZero();
        assertThat(worker.demand(Kind.PLAIN, Duration.ZERO)).isPositive();
        assertThat(runs).hasValue(2);
    }

    @Test
    void aPayloadTakesUpRoomUntilItsHandlerHasRun() {
        ClaimedJob claimed = rooms.running();
        ClaimedJob large = new ClaimedRow(
                claimed.claim(),
                Rooms.QUEUE,
                "send",
                1,
                0,
                Duration.ZERO,
                Duration.ZERO,
                claimed.claimedAt(),
                Rooms.letters(10_000),
                null,
                null,
                null,
                null,
                null,
                false);

        worker.accept(List.of(large), System.nanoTime());
        Awaitility.await().until(() -> runs.get() == 1);
        assertThat(worker.budget().taken()).isEqualTo(10_000);
        release.countDown();

        Awaitility.await().until(() -> worker.budget().taken() == 0);
    }

    @Test
    void aJobThatAClaimBringsAfterTheDrainGoesBackAtNoCost() {
        List<ClaimedJob> jobs = rooms.running(3);
        worker.close();
        Drain.await(List.of(worker), Duration.ofSeconds(1), Duration.ofSeconds(1));

        worker.accept(jobs, System.nanoTime());
        Drain.awaitLast(List.of(worker));
        worker.stop();

        Awaitility.await().until(() -> rooms.count("running") == 0);
        assertThat(runs).hasValue(0);
        assertThat(rooms.count("ready")).isEqualTo(3);
        assertThat(rooms.truth("SELECT bool_and(attempt = 0 AND crashes = 0) FROM rowlock.ready"))
                .isTrue();
    }

    /** As if the job had been taken at its deadline, had waited, and had been claimed by the same node. */
    private ClaimedJob takenAndClaimedAgain(ClaimedJob job) {
        rooms.execute("""
                WITH taken AS (DELETE FROM rowlock.running RETURNING *)
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, attempt, queue, type, payload)
                SELECT id, ready_at, enqueued_at, rank, attempt, queue, type, payload FROM taken
                """);
        return rooms.claim(rooms.node(), 1).get(0);
    }
}
