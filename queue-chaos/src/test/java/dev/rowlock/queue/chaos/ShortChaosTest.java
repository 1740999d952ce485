package dev.rowlock.queue.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.Rated;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A short run with another seed each time; the report names it. {@code make chaos} is the long one. */
@LongRunning
class ShortChaosTest {

    @Test
    @Timeout(600)
    void everyPromiseHoldsUnderRealFaults(@TempDir Path folder) {
        long seed = Long.getLong("chaos.seed.short", TestSeed.value());
        ChaosRun run = new ChaosRun(new ChaosSettings(
                seed, Duration.ofSeconds(20), Duration.ofSeconds(240), Duration.ofMillis(60), folder, ""));

        History history = run.run();

        ChaosReport report = ChaosReport.of(history, run.late());
        System.out.printf("chaos, seed %d%n%s%n", seed, report);
        assertThat(report.passed()).as("seed %d%n%s", seed, report).isTrue();
        assertThat(history.moves().stream().anyMatch(move -> move.nanos() != 0))
                .as("without times half of the promises are not looked at")
                .isEqualTo(Files.exists(Path.of("/proc/uptime")));
        assertThat(history.rows()).as("a run without load proves nothing").hasSizeGreaterThan(50);
        assertThat(history.held())
                .as("where vacuum always keeps up nobody looks at what dead rows do")
                .anyMatch(held -> held.transactions() > 50 && held.dead() > 50);
        assertThat(history.moves())
                .as("without jobs under a rate nobody looks at rates")
                .anyMatch(Rated::claims);
        assertThat(history.asked())
                .as("without answers nobody looks at whether they are true")
                .isNotEmpty();
    }
}
