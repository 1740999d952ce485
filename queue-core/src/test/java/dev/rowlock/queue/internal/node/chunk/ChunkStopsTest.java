package dev.rowlock.queue.internal.node.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.StopReason;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What ends a chunk, or some of its jobs, before their time. */
@Representative
class ChunkStopsTest extends ChunkTest {

    private final CountDownLatch begun = new CountDownLatch(1);

    private final CountDownLatch goOn = new CountDownLatch(1);

    @Test
    void aJobThatIsCancelledDoesNotStopTheOthersOfItsChunk() throws Exception {
        AtomicReference<Optional<StopReason>> seen = new AtomicReference<>(Optional.empty());
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    begun.countDown();
                    goOn.await(); // throws if it is interrupted
                    seen.set(jobs.get(1).context().stopReason());
                    return ChunkResult.builder()
                            .completed(jobs.get(0).id())
                            .failed(jobs.get(1).id(), new IllegalStateException("not wanted any more"))
                            .completed(jobs.get(2).id())
                            .build();
                },
                listener -> listener.batch(3).linger(LONG));
        long[] ids = node.jobs.enqueueAll(Calls.people(3));
        node.start();
        begun.await();

        node.admin.cancel(ids[1]);
        node.awaitTwoHeartbeats();
        goOn.countDown();

        node.awaitCount("done", 3);
        node.awaitEvent("cancelled " + ids[1]);
        assertThat(seen.get()).contains(StopReason.CANCELLED);
        assertThat(calls.sizes()).containsExactly(3);
    }

    @Test
    void aChunkAllOfWhoseJobsAreCancelledIsInterrupted() throws Exception {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    begun.countDown();
                    goOn.await();
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(2).linger(LONG));
        long[] ids = node.jobs.enqueueAll(Calls.people(2));
        node.start();
        begun.await();

        node.admin.cancel(ids[0]);
        node.admin.cancel(ids[1]);

        node.awaitEvents("cancelled", 2);
    }

    @Test
    void aJobThatTakesItsTimeoutIsFoundAndTheOthersHaveAllOfTheirs() {
        Duration timeout = Duration.ofMillis(700);
        Queue<Boolean> late = new ConcurrentLinkedQueue<>();
        Queue<Optional<StopReason>> reasons = new ConcurrentLinkedQueue<>();
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    Instant now = node.elsewhere
                            .sql("SELECT clock_timestamp()")
                            .query((row, i) -> row.getTimestamp(1).toInstant())
                            .single();
                    jobs.forEach(job ->
                            late.add(job.context().deadline().orElseThrow().isBefore(now)));
                    if (jobs.stream().anyMatch(job -> Calls.name(job).equals("p000"))) {
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            reasons.add(jobs.get(jobs.size() - 1).context().stopReason());
                            throw e;
                        }
                    }
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(4)
                        .linger(LONG)
                        .timeout(timeout)
                        .noRetryFor(List.of(InterruptedException.class)));
        long[] ids = node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 3);
        node.awaitCount("dead", 1);
        assertThat(calls.sizes()).containsExactly(4, 2, 1, 1, 2);
        assertThat(late).containsOnly(false);
        assertThat(reasons).containsOnly(Optional.of(StopReason.TIMED_OUT)).hasSize(3);
        assertThat(node.sql
                        .sql("SELECT errors::text FROM rowlock.dead WHERE id = ?")
                        .param(ids[0])
                        .query(String.class)
                        .single())
                .contains("timeout");
    }

    @Test
    void jobsThatWaitTheirTurnAfterATimeoutAreNotOverdue() {
        Duration timeout = Duration.ofMillis(700);
        Queue<String> overdue = new ConcurrentLinkedQueue<>();
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    overdue.addAll(node.elsewhere
                            .sql("SELECT id::text FROM rowlock.running WHERE deadline < clock_timestamp() AND id >= ?")
                            .param(jobs.get(0).id()) // those before have their outcomes
                            .query(String.class)
                            .list());
                    if (jobs.stream().anyMatch(job -> !Calls.name(job).equals("p003"))) {
                        goOn.await();
                    }
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(4)
                        .linger(LONG) // all in one chunk; it is part of the first deadline only
                        .timeout(timeout)
                        .noRetryFor(List.of(InterruptedException.class)));
        node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 1);
        node.awaitCount("dead", 3);
        assertThat(calls.sizes()).startsWith(4);
        assertThat(overdue).isEmpty();
    }

    @Test
    void aJobThatMayBringDownItsNodeRunsAlone() {
        node.concurrency(1)
                .chunkListener(
                        Greet.class,
                        jobs -> {
                            calls.note(jobs);
                            return ChunkResult.ALL_COMPLETED;
                        },
                        listener -> listener.batch(4).linger(Duration.ofMillis(200)));
        long[] ids = node.jobs.enqueueAll(Calls.people(4));
        node.sql
                .sql("UPDATE rowlock.ready SET crashes = 2 WHERE id = ?")
                .param(ids[2])
                .update();

        node.start();

        node.awaitCount("done", 4);
        assertThat(calls.all()).containsExactlyInAnyOrder(List.of("p002"), List.of("p000", "p001", "p003"));
    }

    @Test
    void whatIsLostAtTheEndOfALeaseIsRefusedForEachJob() throws Exception {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    if (calls.sizes().size() == 1) {
                        node.others.takeAway(jobs.get(0).context());
                    }
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(3).linger(LONG));
        long[] ids = node.jobs.enqueueAll(Calls.people(3));

        node.start();

        node.awaitCount("done", 2);
        node.awaitEvent("lost " + ids[0]);
        assertThat(calls.sizes()).containsExactly(3);
    }
}
