package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that were claimed ahead wait for handlers that turn out to be slow. */
@Representative
class ClaimedAheadTest extends NodeTest {

    record Limited(String name) {}

    private static final int THREADS = 2;
    private static final int FAST = 90;

    private final CountDownLatch release = new CountDownLatch(1);
    private TestNode other;

    @BeforeEach
    void prepareAnother(TestDatabase database) {
        other = new TestNode(database);
        for (TestNode one : List.of(node, other)) {
            one.concurrency(THREADS).drain(Duration.ofMillis(100)).listener(Greet.class, (context, payload) -> {
                if (payload.contains("slow")) {
                    release.await();
                }
                return null;
            });
        }
    }

    @AfterEach
    void closeOther() {
        release.countDown();
        other.close();
    }

    @Test
    void jobsDoNotWaitBehindSlowHandlersWhileAThreadOfAnotherNodeIsIdle() {
        node.start();
        other.start();
        node.awaitHearing();
        other.awaitHearing();
        runFastOnes();

        long[] ids = enqueue(2 * THREADS - 1);

        awaitCompleted(LongStream.of(ids).skip(2 * THREADS - 1));
        assertThat(node.count("running")).isEqualTo(2 * THREADS - 1);
    }

    @Test
    void aNodeThatStartsLaterGetsJobsThatAnotherHasClaimedAhead() {
        node.start();
        runFastOnes();
        long[] ids = enqueue(THREADS);
        LongStream.of(ids).limit(THREADS).forEach(id -> node.awaitState(id, JobState.RUNNING));

        other.start();

        awaitCompleted(LongStream.of(ids).skip(THREADS));
        assertThat(node.count("running")).isEqualTo(THREADS);
    }

    @Test
    void jobsThatNoThreadCanRunYetAreNotClaimedAgainAndAgain() {
        node.start();
        runFastOnes();
        long[] ids = enqueue(THREADS);
        Awaitility.await().until(() -> node.count("running") == THREADS && node.count("ready") == FAST);
        long claims = tokens();

        node.awaitTwoHeartbeats();
        node.jobs.enqueue(new Greet("one more"));
        node.awaitTwoHeartbeats();

        assertThat(tokens()).isEqualTo(claims);
        release.countDown();
        awaitCompleted(LongStream.of(ids));
        assertThat(node.sql
                        .sql("SELECT max(attempt) FROM rowlock.done")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    /** With a horizon so long that nothing is given back for a while. */
    @Test
    void aTimeoutCountsFromTheHandlersStart() {
        Duration timeout = Duration.ofSeconds(1);
        AtomicReference<Duration> left = new AtomicReference<>(Duration.ZERO);
        AtomicReference<Duration> ran = new AtomicReference<>(Duration.ZERO);
        CountDownLatch ended = new CountDownLatch(1);
        node.concurrency(1)
                .prefetchHorizon(Duration.ofSeconds(10))
                .listener(
                        Limited.class,
                        (context, payload) -> {
                            long begun = System.nanoTime();
                            left.set(Duration.between(now(), context.deadline().orElseThrow()));
                            try {
                                return new CountDownLatch(1).await(1, TimeUnit.MINUTES);
                            } finally {
                                ran.set(Duration.ofNanos(System.nanoTime() - begun));
                                ended.countDown();
                            }
                        },
                        TestNode.timeout(timeout))
                .start();
        runFastOnes();
        node.jobs.enqueueAll(List.of(new Greet("slow"), new Limited("behind it")));
        awaitClaimedLongerThan(timeout);

        release.countDown();
        Awaitility.await().until(() -> ended.getCount() == 0);

        assertThat(ran.get()).isGreaterThan(timeout.dividedBy(2));
        assertThat(left.get()).isPositive();
    }

    private void awaitClaimedLongerThan(Duration time) {
        Awaitility.await()
                .until(() -> node.elsewhere
                                .sql("""
                                        SELECT count(*) FROM rowlock.running
                                         WHERE claimed_at < clock_timestamp() - ? * interval '1 ms'
                                        """)
                                .param(time.toMillis())
                                .query(Long.class)
                                .single()
                        == 2);
    }

    private Instant now() {
        return node.elsewhere
                .sql("SELECT clock_timestamp()")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    /** So that many are claimed ahead. */
    private void runFastOnes() {
        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, 2_000).mapToObj(i -> new Greet("fast")).toList());
        awaitCompleted(LongStream.of(ids));
    }

    /** In one call, the slow ones first. */
    private long[] enqueue(int slow) {
        List<Greet> jobs = new ArrayList<>();
        IntStream.range(0, slow).forEach(i -> jobs.add(new Greet("slow")));
        IntStream.range(0, FAST).forEach(i -> jobs.add(new Greet("fast")));
        return node.jobs.enqueueAll(jobs);
    }

    private void awaitCompleted(LongStream ids) {
        Long[] these = ids.boxed().toArray(Long[]::new);
        Awaitility.await()
                .pollInterval(Duration.ofMillis(20))
                .until(() -> node.elsewhere
                                .sql("SELECT count(*) FROM rowlock.done WHERE id = ANY (?)")
                                .param(these)
                                .query(Long.class)
                                .single()
                        == these.length);
    }

    private long tokens() {
        return node.elsewhere
                .sql("SELECT last_value FROM rowlock.claim_token")
                .query(Long.class)
                .single();
    }
}
