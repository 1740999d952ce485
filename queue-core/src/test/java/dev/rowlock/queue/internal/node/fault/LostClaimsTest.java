package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Nodes that died or were declared dead, and what happens to their jobs. */
@Representative
class LostClaimsTest extends NodeTest {

    @Test
    void suspectsOfACrashAllCompleteAlthoughTheyStartOneByOne() {
        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, 20).mapToObj(i -> new Greet("g" + i)).toList());
        node.others.claimForADeadNode();

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
    void anOutcomeWhoseClaimWasLostIsRefused() {
        node.listener(Greet.class, (context, payload) -> {
                    node.others.takeAway(context);
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
        node.others.claimForADeadNode();

        node.lease(Duration.ofSeconds(1), Duration.ofMillis(100), 3)
                .listener(Greet.class, (context, payload) -> context.crashes() + "/" + context.attempt())
                .start();
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"1/1\"");
    }

    @Test
    void aJobThatBringsDownItsNodesIsQuarantined() {
        long id = node.jobs.enqueue(new Greet("poison"));
        node.others.claimForADeadNode();

        node.lease(Duration.ofSeconds(1), Duration.ofMillis(100), 1)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        node.awaitState(id, JobState.QUARANTINED);

        assertThat(node.search.find(id).orElseThrow().errors())
                .extracting(FailedAttempt::type)
                .containsExactly("crash");
    }

    @Test
    void aNodeThatWasDeclaredDeadInterruptsItsHandlersAndRegistersAnew() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        node.drain(Duration.ofMillis(200)) // it claims the job again, and waits again
                .listener(Greet.class, (context, payload) -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                        return null;
                    } finally {
                        interrupted.countDown();
                    }
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
        long firstNode = node.status().nodeId();

        node.sql.sql("DELETE FROM rowlock.node").update();

        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
        Awaitility.await().until(() -> node.status().nodeId() > firstNode);
        assertThat(node.events).doesNotContain("completed " + id);
    }
}
