package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Wakeups;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node with many queues, most of which have nothing to do. */
class IdleQueuesTest extends NodeTest {

    private static final int QUEUES = 20;
    private static final int CONCURRENCY = 4;
    private static final String LAST = "idle" + (QUEUES - 1);

    private final CountDownLatch sideBySide = new CountDownLatch(CONCURRENCY);

    public record Meet() {}

    /** The last queue greets and meets, the others do other things. */
    private void start() {
        node.concurrency(CONCURRENCY);
        node.listener(Greet.class, (context, payload) -> null, listener -> listener.queue(LAST));
        node.listener(
                Meet.class,
                (context, payload) -> {
                    sideBySide.countDown();
                    sideBySide.await();
                    return null;
                },
                listener -> listener.queue(LAST));
        IntStream.range(0, QUEUES - 1)
                .forEach(i -> node.listener(
                        Greet.class,
                        (context, payload) -> null,
                        listener -> ListenerDefinition.of("Type" + i, (context, payload) -> null)
                                .queue("idle" + i)));
        node.start();
        node.awaitHearing();
    }

    @Test
    void queuesWhereNothingHappensHaveNoThreads() {
        start();

        assertThat(threads("rowlock-idle")).isEmpty();
        assertThat(threads("rowlock-fetcher-")).hasSizeLessThanOrEqualTo(1); // the first one, which is warm
        assertThat(node.status().capacity()).isEqualTo(QUEUES * CONCURRENCY);
        assertThat(node.status().broken()).isEmpty();
    }

    @Test
    void pollingFindsAnUnannouncedJobOfAnIdleQueue() {
        start();

        long id = node.others.jobs(Wakeups.NONE).enqueue(new Greet("found"), o -> o.queue(LAST));

        node.awaitState(id, JobState.COMPLETED);
        assertThat(threads("rowlock-fetcher-")).contains("rowlock-fetcher-" + LAST);
    }

    @Test
    void aBurstForAnIdleQueueIsRunByAsManyThreadsAsItMayHave() {
        start();

        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, CONCURRENCY).mapToObj(i -> new Meet()).toList(), JobOptions.NONE.queue(LAST));

        for (long id : ids) {
            node.awaitState(id, JobState.COMPLETED);
        }
        assertThat(threads("rowlock-" + LAST)).hasSize(CONCURRENCY);
    }

    @Test
    void anIdleQueueGoesOnWhereItStoodAfterAPause() {
        start();
        node.admin.pause(LAST);
        node.awaitTwoHeartbeats();

        long id = node.others.jobs(Wakeups.NONE).enqueue(new Greet("patient"), o -> o.queue(LAST));
        node.awaitTwoHeartbeats();
        node.awaitTwoHeartbeats();
        JobState whilePaused = node.search.find(id).orElseThrow().state();
        List<String> threads = threads("rowlock-fetcher-" + LAST);
        node.admin.resume(LAST);
        node.awaitState(id, JobState.COMPLETED);

        assertThat(whilePaused).isEqualTo(JobState.READY);
        assertThat(threads).isEmpty();
    }

    private static List<String> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }
}
