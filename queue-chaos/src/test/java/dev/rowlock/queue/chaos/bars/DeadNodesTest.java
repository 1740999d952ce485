package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed or frozen, with a lease of three seconds. */
class DeadNodesTest {

    private static final Duration BAR = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    @Test
    void theJobsOfAKilledNodeAllRunAgainWithinFiveSeconds() {
        try (Stage stage = new Stage(folder)) {
            Worker victim = stage.worker(stage.setup());
            // They must not end before the other node has started, which takes its time on a busy machine.
            List<Long> jobs = LongStream.range(0, 8)
                    .map(i -> stage.sleep(120_000))
                    .boxed()
                    .toList();
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 8);
            stage.worker(stage.setup());

            long killed = System.nanoTime();
            victim.kill();
            // On a machine that stands still for seconds the other node loses its lease, too, and they run a third
            // time.
            Stage.await(
                    Duration.ofSeconds(60),
                    () -> jobs.stream().allMatch(job -> stage.starts(job).size() >= 2));

            List<Duration> times = jobs.stream()
                    .map(job -> Duration.ofNanos(stage.starts(job).get(1).nanos() - killed))
                    .sorted()
                    .toList();
            System.out.println("kill -9 until the jobs ran again, lease 3 s: " + times);
            assertThat(times).allMatch(time -> time.compareTo(Stage.stretched(BAR)) <= 0);
        }
    }

    @LongRunning
    @Test
    void aFrozenNodeIsRefusedWhenItWakesAndItsHandlersAreInterrupted() {
        try (Stage stage = new Stage(folder)) {
            Worker zombie = stage.worker(stage.setup());
            long interrupted = stage.sleep(30_000);
            long stubborn = stage.producer.enqueue(
                    new Work.Plain(stage.producer.nextUid(), Act.IGNORE, 25_000), JobOptions.NONE);
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 2);
            Worker survivor = stage.worker(stage.setup());

            zombie.freeze();
            Stage.await(
                    Duration.ofSeconds(20),
                    () -> stage.starts(interrupted).size() >= 2
                            && stage.starts(stubborn).size() >= 2);
            zombie.thaw();
            long first = stage.starts(interrupted).get(0).token();
            Stage.await(
                    Duration.ofSeconds(10),
                    () -> stage.history().ends().stream().anyMatch(end -> end.token() == first));
            stage.awaitEnded(Duration.ofSeconds(60));

            History history = stage.history();
            assertThat(history.ends())
                    .anyMatch(end -> end.token() == first && end.how().equals("InterruptedException"));
            assertThat(history.said().stream()
                            .filter(said -> said.node().equals(zombie.name()))
                            .map(Said::label))
                    .containsOnly("lost");
            assertThat(history.said().stream()
                            .filter(said -> said.label().equals("completed"))
                            .map(Said::node))
                    .containsOnly(survivor.name());
            assertThat(Checker.check(history)).isEmpty();
        }
    }

    @LongRunning
    @Test
    void aPoisonJobIsQuarantinedAndItsNeighboursAreUnharmed() {
        try (Stage stage = new Stage(folder)) {
            Worker first = stage.worker(stage.setup());
            Worker second = stage.worker(stage.setup());
            List<Long> neighbours =
                    LongStream.range(0, 6).map(i -> stage.sleep(3_000)).boxed().toList();
            long poison =
                    stage.producer.enqueue(new Work.Poison(stage.producer.nextUid(), Act.HALT, 0), JobOptions.NONE);

            Stage.await(Duration.ofSeconds(100), () -> {
                List.of(first, second).forEach(Worker::start);
                return stage.count("rowlock.job WHERE state IN ('waiting', 'ready', 'running')") == 0;
            });

            History history = stage.history();
            assertThat(history.rows())
                    .filteredOn(row -> row.id() == poison)
                    .singleElement()
                    .satisfies(
                            row -> assertThat(row.state() + " " + row.crashes()).isEqualTo("quarantined 3"));
            assertThat(history.rows())
                    .filteredOn(row -> neighbours.contains(row.id()))
                    .hasSize(6)
                    .allMatch(row -> row.state().equals("completed") && row.attempt() == 1);
            assertThat(history.starts().stream()
                            .filter(start -> start.job() == poison)
                            .map(Start::crashes))
                    .containsExactlyInAnyOrder(0, 1, 2);
            assertThat(Checker.check(history)).isEmpty();
        }
    }
}
