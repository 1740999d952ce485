package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of types that a node leaves to others for a while, because their listeners are stopped. */
class StoppedTypesTest extends NodeTest {

    record Left(int number) {}

    record Other(int number) {}

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @BeforeEach
    void listen() {
        node.listener(Left.class, (job, payload) -> {
                    ran.add("left " + job.id());
                    return null;
                })
                .listener(Other.class, (job, payload) -> {
                    ran.add("other " + job.id());
                    return null;
                });
    }

    @AfterEach
    void endAll() {
        mayEnd.countDown();
    }

    @Test
    void jobsOfAStoppedListenerStayReadyWhileThoseBehindThemRun() {
        node.start();
        node.leave(Set.of("Left"));
        long[] left = node.jobs.enqueueAll(Collections.nCopies(500, new Left(1)), JobOptions.NONE);
        long[] others = node.jobs.enqueueAll(Collections.nCopies(20, new Other(1)), JobOptions.NONE);

        await().until(() -> ran.size() == others.length);

        assertThat(ran).allMatch(event -> event.startsWith("other"));
        assertThat(node.search.find(left[0]).orElseThrow().state()).isEqualTo(JobState.READY);
        assertThat(node.count("ready")).isEqualTo(left.length);
        assertThat(node.sql
                        .sql("SELECT max(attempt) FROM rowlock.ready")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void jobsOfAStoppedListenerRunInTheirOrderOnceItIsStartedAgain() {
        node.start();
        node.leave(Set.of("Left"));
        long[] left = node.jobs.enqueueAll(Collections.nCopies(200, new Left(1)), JobOptions.NONE);
        node.jobs.enqueueAll(Collections.nCopies(200, new Other(1)), JobOptions.NONE);
        await().until(() -> ran.size() == 200);

        node.leave(Set.of());

        await().until(() -> node.count("ready") == 0 && ran.size() == 400);
        assertThat(ran).contains("left " + left[0], "left " + left[left.length - 1]);
    }

    @Test
    void aQueueWhoseListenersAreAllStoppedIsNotClaimedFrom() throws InterruptedException {
        node.leave(Set.of("Left", "Other"));
        node.start();
        await().until(() -> node.status().nodeId() != 0);
        node.jobs.enqueueAll(List.of(new Left(1), new Other(1), new Left(2)), JobOptions.NONE);
        long claimed = claimTokens();

        node.leave(Set.of("Left"));

        await().until(() -> ran.size() == 1);
        // One for the job that runs, and perhaps one for a job that a notification had named: that one goes back.
        assertThat(claimTokens() - claimed).isLessThanOrEqualTo(2);
        assertThat(node.count("ready")).isEqualTo(2);
    }

    @Test
    void claimedJobsThatHaveNotBegunGoBackWhenTheirListenerIsStopped() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(4);
        node.listener(Blocking.class, (job, payload) -> {
            begun.countDown();
            mayEnd.await();
            return null;
        });
        node.start();
        node.jobs.enqueueAll(IntStream.range(0, 20).mapToObj(Blocking::new).toList(), JobOptions.NONE);
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();

        node.leave(Set.of("Blocking"));

        await().until(() -> node.count("ready") == 16 && node.count("running") == 4);
        mayEnd.countDown();
        await().until(() -> node.count("done") == 4);
        assertThat(node.count("ready WHERE attempt = 0")).isEqualTo(16);
    }

    record Blocking(int number) {}

    private long claimTokens() {
        return node.sql
                .sql("SELECT last_value FROM rowlock.claim_token")
                .query(Long.class)
                .single();
    }
}
