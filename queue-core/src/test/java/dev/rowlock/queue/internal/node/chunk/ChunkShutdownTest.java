package dev.rowlock.queue.internal.node.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Chunks of a node that stops, or of a queue that is paused. */
@Representative
class ChunkShutdownTest extends ChunkTest {

    private final CountDownLatch begun = new CountDownLatch(1);

    private final CountDownLatch goOn = new CountDownLatch(1);

    /** A stop that waited for the rest of a chunk would run it in the end: there is time enough. */
    @Test
    void jobsThatLingerGoBackWhenTheNodeStops() {
        node.drain(Duration.ofMinutes(1))
                .chunkListener(
                        Greet.class,
                        jobs -> ChunkResult.ALL_COMPLETED,
                        listener -> listener.batch(10).linger(LONG));
        node.jobs.enqueueAll(Calls.people(3));
        node.start();
        node.awaitCount("running", 3);

        node.stop();

        assertReadyAtNoCost(3);
    }

    @Test
    void jobsThatLingerGoBackWhenTheirQueueIsPaused() {
        node.chunkListener(
                Greet.class,
                jobs -> ChunkResult.ALL_COMPLETED,
                listener -> listener.batch(10).linger(LONG));
        node.jobs.enqueueAll(Calls.people(3));
        node.start();
        node.awaitCount("running", 3);

        node.admin.pause("default");

        node.awaitCount("ready", 3);
    }

    @Test
    void aChunkThatRunsEndsBeforeTheNodeDoes() throws Exception {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    begun.countDown();
                    Awaitility.await().until(() -> jobs.get(0).context().stopRequested());
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(3).linger(LONG));
        node.jobs.enqueueAll(Calls.people(3));
        node.start();
        begun.await();

        node.stop();

        assertThat(node.count("done")).isEqualTo(3);
    }

    @Test
    void aChunkThatDoesNotEndInTimeGoesBackAtNoCost() throws Exception {
        node.drain(Duration.ofMillis(100))
                .chunkListener(
                        Greet.class,
                        jobs -> {
                            calls.note(jobs);
                            begun.countDown();
                            goOn.await();
                            return ChunkResult.ALL_COMPLETED;
                        },
                        listener -> listener.batch(3).linger(LONG));
        node.jobs.enqueueAll(Calls.people(3));
        node.start();
        begun.await();

        node.stop();

        assertThat(calls.sizes()).containsExactly(3);
        assertReadyAtNoCost(3);
    }

    @Test
    void theSearchForACulpritEndsWhenTheNodeStops() throws Exception {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    begun.countDown();
                    goOn.await();
                    throw new IllegalStateException("one of them");
                },
                listener -> listener.batch(4).linger(LONG));
        node.jobs.enqueueAll(Calls.people(4));
        node.start();
        begun.await();
        Thread stopping = new Thread(node::stop);
        stopping.start();

        Awaitility.await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
        goOn.countDown();
        stopping.join();

        assertThat(calls.sizes().get(0)).isEqualTo(4);
        assertThat(node.count("ready") + node.count("waiting")).isEqualTo(4);
        assertThat(calls.sizes()).hasSizeLessThan(7);
    }

    private void assertReadyAtNoCost(int jobs) {
        assertThat(node.count("ready")).isEqualTo(jobs);
        assertThat(node.sql
                        .sql("SELECT max(attempt) FROM rowlock.ready")
                        .query(Integer.class)
                        .single())
                .isZero();
    }
}
