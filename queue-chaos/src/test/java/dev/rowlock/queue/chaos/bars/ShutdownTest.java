package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM in the middle of work, as each deploy sends it. */
@LongRunning
class ShutdownTest {

    private static final Duration DRAIN = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    @Test
    void tenShutdownsUnderLoadBurnNothingAndLeaveNothingRunning() {
        try (Stage stage = new Stage(folder)) {
            WorkerSetup quick = stage.setup();
            Worker worker = stage.worker(new WorkerSetup(
                    quick.folder(),
                    8,
                    quick.lease(),
                    quick.heartbeat(),
                    DRAIN,
                    true,
                    quick.environment(),
                    quick.traits(),
                    quick.classPath()));
            List<Long> took = new ArrayList<>();

            for (int round = 0; round < 10; round++) {
                stage.start(worker);
                long before = stage.history().starts().size();
                load(stage);
                Stage.await(
                        Duration.ofSeconds(20), () -> stage.history().starts().size() > before + 30);
                long asked = System.nanoTime();
                worker.terminate();
                assertThat(worker.awaitExit(Stage.stretched(DRAIN.plusSeconds(10))))
                        .as("round %d: ends within the drain limit", round)
                        .isTrue();
                took.add((System.nanoTime() - asked) / 1_000_000);
                assertThat(stage.count("rowlock.running"))
                        .as("round %d: left in running", round)
                        .isZero();
                assertThat(stage.count("rowlock.job WHERE crashes > 0"))
                        .as("round %d: crashes", round)
                        .isZero();
                assertThat(stage.count("rowlock.ready WHERE attempt > 0"))
                        .as("round %d: attempts burnt", round)
                        .isZero();
                assertThat(stage.count("rowlock.node"))
                        .as("round %d: nodes", round)
                        .isZero();
            }
            stage.start(worker);
            stage.awaitEnded(Duration.ofSeconds(90));

            System.out.println("SIGTERM under load, drain limit 1 s: ended after ms " + took);
            History history = stage.history();
            assertThat(history.rows()).allMatch(row -> row.state().equals("completed") && row.attempt() == 1);
            assertThat(Checker.check(history)).isEmpty();
        }
    }

    /** Some that end in time, some that must be interrupted, one that ignores that, and transactions. */
    private static void load(Stage stage) {
        for (int i = 0; i < 40; i++) {
            stage.sleep(i % 20);
            stage.producer.enqueue(new Work.Money(stage.producer.nextUid(), Act.SLEEP, i), JobOptions.NONE);
        }
        for (int i = 0; i < 6; i++) {
            stage.sleep(1_500);
        }
        stage.producer.enqueue(new Work.Plain(stage.producer.nextUid(), Act.IGNORE, 5_000), JobOptions.NONE);
    }
}
