package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import java.util.Collections;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of types that somebody has paused, and pauses of everything. */
class PausedTypesTest extends NodeTest {

    record Charge(int number) {}

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @BeforeEach
    void listen() {
        node.listener(Charge.class, (job, payload) -> {
                    ran.add("charge");
                    return null;
                })
                .listener(Greet.class, (job, payload) -> {
                    ran.add("greet");
                    return null;
                });
    }

    @AfterEach
    void endAll() {
        mayEnd.countDown();
    }

    @Test
    void jobsOfAPausedTypeStayReadyWhileThoseBehindThemRun() {
        start();
        node.admin.pauseType("Charge");
        node.awaitTwoHeartbeats();
        node.jobs.enqueueAll(Collections.nCopies(300, new Charge(1)), JobOptions.NONE);
        node.jobs.enqueueAll(Collections.nCopies(20, new Greet("Ada")), JobOptions.NONE);

        await().until(() -> ran.size() == 20);

        assertThat(ran).containsOnly("greet");
        assertThat(node.count("ready WHERE type = 'Charge' AND attempt = 0")).isEqualTo(300);
        node.admin.resumeType("Charge");
        await().until(() -> ran.size() == 320);
    }

    @Test
    void aPauseOutlastsARestart() {
        node.admin.pauseType("Charge");
        long id = node.jobs.enqueue(new Charge(1));
        start();
        node.awaitTwoHeartbeats();
        node.stop();
        start();
        node.jobs.enqueue(new Greet("Ada"));

        await().until(() -> ran.contains("greet"));

        node.awaitTwoHeartbeats();
        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
        assertThat(ran).doesNotContain("charge");
    }

    @Test
    void aJobInAQueueWhereNobodyListensToItsPausedTypeDoesNotBeginEither() {
        node.listener(Elsewhere.class, (job, payload) -> null, listener -> listener.queue("other"));
        start();
        node.admin.pauseType("Charge");
        node.awaitTwoHeartbeats();

        long id = node.jobs.enqueue(new Charge(1), o -> o.queue("other"));
        node.jobs.enqueue(new Elsewhere(1), o -> o.queue("other"));

        node.awaitState(id, JobState.WAITING);
        assertThat(ran).isEmpty();
        node.admin.resumeType("Charge");
        node.admin.runNow(id);
        await().until(() -> ran.contains("charge"));
        assertThat(node.search.find(id).orElseThrow().attempt()).isEqualTo(1);
    }

    record Elsewhere(int number) {}

    @Test
    void aTypeThatIsPausedStaysSoWhenItsListenerIsStartedAgain() {
        start();
        node.leave(Set.of("Charge"));
        node.admin.pauseType("Charge");
        node.awaitTwoHeartbeats();
        node.jobs.enqueue(new Charge(1));

        node.leave(Set.of());
        node.awaitTwoHeartbeats();
        node.awaitTwoHeartbeats();

        assertThat(ran).isEmpty();
        node.admin.resumeType("Charge");
        await().until(() -> ran.size() == 1);
    }

    @Test
    void whenEverythingIsPausedNothingBeginsAndWhatRunsEnds() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        node.listener(Blocking.class, (job, payload) -> {
            begun.countDown();
            mayEnd.await();
            return null;
        });
        start();
        long running = node.jobs.enqueue(new Blocking(1));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        node.admin.pauseEverything();
        node.awaitTwoHeartbeats();
        node.jobs.enqueue(new Greet("Ada"));
        node.awaitTwoHeartbeats();

        mayEnd.countDown();
        node.awaitState(running, JobState.COMPLETED);

        assertThat(ran).isEmpty();
        node.admin.resumeEverything();
        await().until(() -> ran.size() == 1);
    }

    record Blocking(int number) {}

    private void start() {
        node.start();
        await().until(() -> node.status().nodeId() > 0);
    }
}
