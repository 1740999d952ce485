package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.run.TestExecution;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Observers misbehave, and their node goes on. */
class ObserversTest extends NodeTest {

    private long[] enqueue(int jobs) {
        return node.jobs.enqueueAll(
                IntStream.range(0, jobs).mapToObj(i -> new Greet("g" + i)).toList());
    }

    private void awaitCompleted(long... ids) {
        for (long id : ids) {
            node.awaitState(id, JobState.COMPLETED);
        }
    }

    /** It calls all the same at once, on the recorder's own thread. */
    @Test
    void anInterruptThatAnObserverLeavesDoesNotEndTheRecorder(TestDatabase database) throws SQLException {
        node.observer(new JobObserver() {
                    @Override
                    public boolean immediate() {
                        return true;
                    }

                    @Override
                    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                        Thread.currentThread().interrupt();
                    }
                })
                .listener(Greet.class, (context, payload) -> null)
                .start();
        awaitCompleted(enqueue(5));

        long[] later;
        try (Connection other = database.unpooled().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("LOCK TABLE rowlock.done IN EXCLUSIVE MODE");
            later = enqueue(5);
            Awaitility.await().until(() -> !node.status().records());
        }

        awaitCompleted(later);
    }

    @Test
    void anObserverThatHangsHoldsUpNobody() {
        CountDownLatch never = new CountDownLatch(1);
        JobObserver hanging = new JobObserver() {
            @Override
            public void started(ClaimedJob job, Duration waited) {
                await(never);
            }
        };
        node.drain(Duration.ofMillis(100))
                .observer(hanging)
                .listener(Greet.class, (context, payload) -> null)
                .start();

        awaitCompleted(enqueue(50));

        node.stop(); // must end as well
    }

    @Test
    void theOtherObserversHearWhateverOneObserverThrows() {
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        node.observer(new JobObserver() {
                    @Override
                    public void started(ClaimedJob job, Duration waited) {
                        throw new StackOverflowError();
                    }
                })
                .observer(new JobObserver() {
                    @Override
                    public void started(ClaimedJob job, Duration waited) {
                        heard.add("started " + job.id());
                    }

                    @Override
                    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                        heard.add(outcome.label() + " " + job.id());
                    }
                })
                .listener(Greet.class, (context, payload) -> null)
                .start();

        long id = enqueue(1)[0];

        Awaitility.await().until(() -> heard.size() == 2);
        assertThat(heard).containsExactly("started " + id, "completed " + id);
    }

    @Test
    void anObserverThatCannotKeepUpMissesTheNextEventsAndNobodyWaitsForIt() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger heard = new AtomicInteger();
        Observers observers = new Observers(List.of(new JobObserver() {
            @Override
            public void rescued(int jobs, int quarantined) {
                heard.incrementAndGet();
                entered.countDown();
                await(go);
            }
        }));
        observers.start();
        observers.rescued(1, 0);
        await(entered);

        IntStream.range(0, Observers.ROOM + 5).forEach(i -> observers.rescued(1, 0));
        go.countDown();
        observers.stop(new TimeBudget(Duration.ofSeconds(20)));

        assertThat(heard).hasValue(1 + Observers.ROOM);
    }

    @Test
    void theEventsThatAnObserverHasNotHeardAreBoundedByTheirResults() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger heard = new AtomicInteger();
        Observers observers = new Observers(List.of(new JobObserver() {
            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                heard.incrementAndGet();
                entered.countDown();
                await(go);
            }
        }));
        observers.start();
        ClaimedJob job = TestExecution.of(1).job();
        int size = (int) (Observers.ROOM_FOR_TEXT / 10);
        Outcome large = new Outcome.Completed("1".repeat(size));
        observers.finished(job, new Outcome.Completed(null), Duration.ZERO);
        await(entered);

        IntStream.range(0, 100).forEach(i -> observers.finished(job, large, Duration.ZERO));
        observers.finished(job, new Outcome.Completed(null), Duration.ZERO);
        go.countDown();
        observers.stop(new TimeBudget(Duration.ofSeconds(20)));

        assertThat(heard).as("the first, ten large ones, the last").hasValue(1 + 10 + 1);
    }

    @Test
    void anObserverHearsOfAResultLargerThanTheWholeBound() {
        AtomicInteger heard = new AtomicInteger();
        Observers observers = new Observers(List.of(new JobObserver() {
            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                heard.incrementAndGet();
            }
        }));
        observers.start();

        observers.finished(
                TestExecution.of(1).job(),
                new Outcome.Completed("1".repeat((int) Observers.ROOM_FOR_TEXT + 1)),
                Duration.ZERO);
        observers.stop(new TimeBudget(Duration.ofSeconds(20)));

        assertThat(heard).hasValue(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
