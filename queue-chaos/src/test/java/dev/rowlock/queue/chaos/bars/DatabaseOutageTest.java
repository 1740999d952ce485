package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.history.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that goes away for longer than every lease. */
class DatabaseOutageTest {

    @TempDir
    private Path folder;

    @Test
    void healthyLongJobsRunOnceAndWorkGoesOnWithinTenSeconds() {
        try (Stage stage = new Stage(folder)) {
            stage.worker(stage.setup());
            stage.worker(stage.setup());
            IntStream.range(0, 6).forEach(i -> stage.sleep(12_000));
            IntStream.range(0, 4).forEach(i -> stage.sleep(3_000)); // end while it is away
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 10);

            stage.database.server().stopImmediately();
            Arena.last(Duration.ofSeconds(8));
            stage.database.server().startAgain();
            long up = System.nanoTime();
            long next = stage.sleep(0);
            Stage.await(Duration.ofSeconds(10), () -> stage.count("rowlock.done WHERE id = " + next) == 1);
            Duration back = Duration.ofNanos(System.nanoTime() - up);
            stage.awaitEnded(Duration.ofSeconds(40));

            System.out.println("database away 8 s (lease 3 s), at work again after " + back);
            History history = stage.history();
            assertThat(history.starts()).hasSize(11);
            assertThat(history.removals()).isEmpty();
            assertThat(history.rows()).allMatch(row -> row.state().equals("completed") && row.crashes() == 0);
            assertThat(Checker.check(history)).isEmpty();
        }
    }
}
