package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many connections a node uses, and what happens to those on which nobody answers. */
@LongRunning
class ConnectionsTest {

    /** The pool of a worker process; see WorkerMain. */
    private static final int POOL = 6;

    @TempDir
    private Path folder;

    @Test
    void aNodeUsesNoMoreConnectionsThanConfiguredWhateverItsConcurrency() {
        try (Stage stage = new Stage(folder)) {
            Worker worker = stage.worker(stage.setup().withConcurrency(200));
            stage.producer.enqueueAll(
                    IntStream.range(0, 1_000)
                            .mapToObj(i -> new Work.Money(stage.producer.nextUid(), Act.SLEEP, 3))
                            .toList(),
                    JobOptions.NONE,
                    true);
            IntStream.range(0, 300).forEach(i -> stage.sleep(300));

            long[] most = new long[2];
            Stage.await(Duration.ofSeconds(90), () -> {
                most[0] = Math.max(most[0], connections(stage, "pool-" + worker.name()));
                most[1] = Math.max(most[1], connections(stage, "direct-" + worker.name()));
                return stage.count("rowlock.done") == 1_300;
            });

            System.out.println(
                    "connections with 200 handlers: pool " + most[0] + " of " + POOL + ", beside it " + most[1]);
            assertThat(most[0]).isPositive().isLessThanOrEqualTo(POOL);
            assertThat(most[1]).isPositive().isLessThanOrEqualTo(2);
        }
    }

    @Test
    void aStalledListenerIsNoticedAndReplacedAndJobsStartMeanwhile() {
        try (Stage stage = new Stage(folder)) {
            Worker worker = stage.worker(stage.setup());
            Stage.await(Duration.ofSeconds(10), () -> connections(stage, "direct-" + worker.name()) == 2);
            int before = worker.direct().accepted();

            long stalled = System.nanoTime();
            worker.direct().halfOpen();
            long meanwhile = stage.sleep(0);
            Stage.await(Duration.ofSeconds(6), () -> stage.count("rowlock.done WHERE id = " + meanwhile) == 1);
            Duration polled = Duration.ofNanos(System.nanoTime() - stalled);
            Stage.await(
                    Duration.ofSeconds(30),
                    () -> worker.direct().accepted() >= before + 2
                            && connections(stage, "direct-" + worker.name()) == 2);

            System.out.printf(
                    "stalled listener: replaced after %d ms, a job ran after %d ms%n",
                    (System.nanoTime() - stalled) / 1_000_000, polled.toMillis());
        }
    }

    @Test
    void halfOpenConnectionsOfThePoolLoseNothing() {
        try (Stage stage = new Stage(folder)) {
            Worker worker = stage.worker(stage.setup());
            IntStream.range(0, 30).forEach(i -> stage.sleep(100));
            Stage.await(Duration.ofSeconds(10), () -> stage.count("rowlock.done") > 5);

            worker.pool().halfOpen();
            long half = System.nanoTime();
            IntStream.range(0, 10).forEach(i -> stage.sleep(0));
            stage.awaitEnded(Duration.ofSeconds(120));

            System.out.printf("half-open pool: all done after %d ms%n", (System.nanoTime() - half) / 1_000_000);
            assertThat(Checker.check(stage.history())).isEmpty();
        }
    }

    private static long connections(Stage stage, String name) {
        return stage.count("pg_stat_activity WHERE application_name = '" + name + "'");
    }
}
