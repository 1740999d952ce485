package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.history.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The default lease of 30 s takes minutes to try: {@code make test T=DefaultsTest A=-Dchaos.defaults=true}. */
@EnabledIfSystemProperty(named = "chaos.defaults", matches = "true", disabledReason = "takes four minutes")
class DefaultsTest {

    @TempDir
    private Path folder;

    @Test
    void theJobsOfAKilledNodeAllRunAgainWithinThirtyFiveSeconds() {
        try (Stage stage = new Stage(folder)) {
            Worker victim = stage.worker(defaults(stage));
            List<Long> jobs =
                    LongStream.range(0, 8).map(i -> stage.sleep(45_000)).boxed().toList();
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 8);
            stage.worker(defaults(stage));
            Arena.last(Duration.ofSeconds(32)); // a node judges others after a lease of its own

            long killed = System.nanoTime();
            victim.kill();
            Stage.await(
                    Duration.ofSeconds(60),
                    () -> jobs.stream().allMatch(job -> stage.starts(job).size() >= 2));

            List<Duration> times = jobs.stream()
                    .map(job -> Duration.ofNanos(stage.starts(job).get(1).nanos() - killed))
                    .sorted()
                    .toList();
            System.out.println("kill -9 until the jobs ran again, defaults: " + times);
            assertThat(times).allMatch(time -> time.compareTo(Duration.ofSeconds(35)) <= 0);
        }
    }

    @Test
    void aDatabaseThatIsDownForAMinuteMakesNoHealthyJobRunTwice() {
        try (Stage stage = new Stage(folder)) {
            stage.worker(defaults(stage));
            stage.worker(defaults(stage));
            IntStream.range(0, 8).forEach(i -> stage.sleep(80_000));
            IntStream.range(0, 8).forEach(i -> stage.sleep(20_000));
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 16);

            stage.database.server().stopImmediately();
            Arena.last(Duration.ofSeconds(60));
            stage.database.server().startAgain();
            long up = System.nanoTime();
            IntStream.range(0, 500).forEach(i -> stage.sleep(0));
            Stage.await(Duration.ofSeconds(20), () -> stage.count("rowlock.done") >= 508);
            Duration back = Duration.ofNanos(System.nanoTime() - up);
            stage.awaitEnded(Duration.ofSeconds(60));

            System.out.println("database away 60 s (lease 30 s), 500 jobs done " + back + " after it is up");
            History history = stage.history();
            assertThat(history.starts()).hasSize(516);
            assertThat(history.removals()).isEmpty();
            assertThat(Checker.check(history)).isEmpty();
        }
    }

    private static WorkerSetup defaults(Stage stage) {
        return stage.setup().withLease(Duration.ofSeconds(30), Duration.ofSeconds(5));
    }
}
