package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.history.History;
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

/** A process of 128 MB, and a job that takes all of them, again and again. */
@LongRunning
class MemoryTest {

    @TempDir
    private Path folder;

    @Test
    void aJobThatExhaustsTheMemoryFailsAloneAndItsNodeGoesOn() {
        try (Stage stage = new Stage(folder)) {
            Worker worker = stage.worker(stage.setup());
            List<Long> beside = neighbours(stage, 6, 14_000);
            long glutton = stage.producer.enqueue(
                    new Work.Plain(stage.producer.nextUid(), Act.EXHAUST, 2_000), JobOptions.NONE);
            stage.awaitEnded(Duration.ofSeconds(60));
            List<Long> after = neighbours(stage, 20, 10);
            stage.awaitEnded(Duration.ofSeconds(30));

            History history = stage.history();
            assertThat(worker.name()).isEqualTo("w1-1");
            assertThat(worker.alive()).isTrue();
            assertThat(history.rows())
                    .filteredOn(row -> row.id() == glutton)
                    .singleElement()
                    .satisfies(
                            row -> assertThat(row.state() + " " + row.attempt()).isEqualTo("dead 4"));
            assertThat(history.rows())
                    .filteredOn(row -> beside.contains(row.id()) || after.contains(row.id()))
                    .hasSize(26)
                    .allMatch(row -> row.state().equals("completed") && row.attempt() == 1);
            assertThat(Checker.check(history)).isEmpty();
        }
    }

    private static List<Long> neighbours(Stage stage, int count, int millis) {
        return LongStream.range(0, count).map(i -> stage.sleep(millis)).boxed().toList();
    }
}
