package dev.rowlock.queue.internal.node.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Listeners that run many jobs in one call: which jobs are in a call, and what they may do. */
@Representative
class ChunkListenersTest extends ChunkTest {

    @Test
    void aFullChunkIsOneCallAndWaitsForNoMore() {
        runs(5, LONG, WELL);
        node.jobs.enqueueAll(Calls.people(5));
        long begun = System.nanoTime();

        node.start();

        node.awaitCount("done", 5);
        assertThat(calls.sizes()).containsExactly(5);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG);
    }

    @Test
    void moreJobsThanABatchAreSeveralCallsOfAtMostTheBatch() {
        runs(10, Duration.ofMillis(50), WELL);
        node.jobs.enqueueAll(Calls.people(95));

        node.start();

        node.awaitCount("done", 95);
        assertThat(calls.sizes()).allSatisfy(size -> assertThat(size).isLessThanOrEqualTo(10));
        assertThat(calls.all().stream().flatMap(List::stream))
                .doesNotHaveDuplicates()
                .hasSize(95);
    }

    @Test
    void jobsThatComeWhileTheFirstLingersAreOfItsChunk() {
        runs(3, LONG, WELL);
        node.start();
        node.awaitHearing();

        node.jobs.enqueue(new Greet("p000"));
        node.awaitCount("running", 1);
        node.jobs.enqueue(new Greet("p001"));
        node.awaitCount("running", 2);
        node.jobs.enqueue(new Greet("p002"));

        node.awaitCount("done", 3);
        assertThat(calls.all()).containsExactly(List.of("p000", "p001", "p002"));
    }

    @Test
    void aChunkThatDoesNotFillBeginsWhenItsLingerIsOver() {
        runs(100, Duration.ofMillis(300), WELL);
        node.jobs.enqueueAll(Calls.people(3));

        node.start();

        node.awaitCount("done", 3);
        assertThat(calls.sizes()).containsExactly(3);
    }

    @Test
    void largePayloadsAreThere() {
        AtomicInteger letters = new AtomicInteger();
        runs(2, LONG, jobs -> {
            jobs.forEach(job -> letters.addAndGet(Calls.name(job).length()));
            return ChunkResult.ALL_COMPLETED;
        });
        node.jobs.enqueueAll(List.of(new Greet("a".repeat(100_000)), new Greet("b".repeat(5_000))));

        node.start();

        node.awaitCount("done", 2);
        assertThat(letters).hasValue(105_000);
    }

    @Test
    void jobsOfOtherListenersRunOnTheThreadsOfTheSameQueue() {
        node.concurrency(1);
        runs(10, Duration.ofMillis(30), WELL);
        node.listener(Other.class, (context, payload) -> null);
        List<Object> mixed = new ArrayList<>(Calls.people(20));
        for (int i = 0; i < 20; i++) {
            mixed.add(2 * i, new Other(i));
        }
        node.jobs.enqueueAll(mixed);

        node.start();

        node.awaitCount("done", 40);
        assertThat(calls.sizes()).hasSizeLessThan(20);
    }

    record Other(int number) {}

    @Test
    void whatIsOfACallCannotBeDoneByOneOfItsJobs() {
        ConcurrentLinkedQueue<Throwable> refused = new ConcurrentLinkedQueue<>();
        runs(2, Duration.ZERO, jobs -> {
            JobContext context = jobs.get(0).context();
            for (Runnable call : List.<Runnable>of(() -> context.extend(LONG), context::completeInTransaction)) {
                try {
                    call.run();
                } catch (IllegalStateException e) {
                    refused.add(e);
                }
            }
            return ChunkResult.ALL_COMPLETED;
        });
        node.jobs.enqueueAll(Calls.people(1));

        node.start();

        node.awaitCount("done", 1);
        assertThat(refused)
                .extracting(Throwable::getMessage)
                .allSatisfy(message -> assertThat(message).contains("GreetListener runs chunks"));
        assertThat(refused).hasSize(2);
    }

    @Test
    void aBatchThatCannotBeIsRefused() {
        ListenerDefinition listener = ListenerDefinition.ofChunks("index", WELL);

        assertThatThrownBy(() -> listener.batch(1)).hasMessage("batch 1 must lie between 2 and 10000");
        assertThatThrownBy(() -> listener.batch(10_001)).hasMessage("batch 10001 must lie between 2 and 10000");
        assertThatThrownBy(() -> listener.linger(Duration.ofSeconds(11)))
                .hasMessage("linger 11s must lie between 0 and 10 s");
        assertThatThrownBy(() -> ListenerDefinition.of("send", (context, payload) -> null)
                        .linger(Duration.ofMillis(50)))
                .hasMessageContaining("send runs one job at a time");
    }

    @Test
    void moreJobsAtOnceThanAnyoneMeansAreRefused() {
        node.concurrency(101);
        runs(10_000, Duration.ZERO, WELL);

        assertThatThrownBy(node::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("101 threads with 10000 jobs each");
    }
}
