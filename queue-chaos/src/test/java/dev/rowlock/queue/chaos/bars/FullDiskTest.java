package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.SmallDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk without room for one more page of the queue's tables, for longer than a lease. */
@LongRunning
class FullDiskTest {

    private static final int BACKLOG = 2_000;

    @TempDir
    private Path folder;

    @Test
    void enqueueFailsAndWorkWaitsUntilThereIsRoomAndThenEveryJobHasRunOnce() {
        SmallDisk disk = openIfAllowed();
        try (Stage stage = new Stage(folder, Database.withTablesOn(disk))) {
            List<Worker> workers = List.of(stage.worker(stage.setup()), stage.worker(stage.setup()));
            IntStream.range(0, 6).forEach(i -> stage.sleep(12_000));
            IntStream.range(0, 4)
                    .forEach(i -> stage.producer.enqueue(
                            new Work.Money(stage.producer.nextUid(), Act.SLEEP, 4_000), JobOptions.NONE));
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 10);
            backlog(stage);
            Stage.await(Duration.ofSeconds(20), () -> stage.count("rowlock.done") > 100);

            disk.fill();
            Stage.await(Duration.ofSeconds(20), () -> stage.sleep(0) == 0);
            // A worker that has few outcomes left may find room for them on the last page.
            Stage.await(
                    Duration.ofSeconds(60),
                    () -> workers.stream().anyMatch(worker -> said(worker, "outcomes could not be written")));
            Stage.await(
                    Duration.ofSeconds(60), () -> workers.stream().allMatch(worker -> said(worker, "claiming failed")));
            Arena.last(Arena.PAST_LEASE);
            long before = stage.count("rowlock.done");
            disk.free();
            long free = System.nanoTime();
            long next = stage.producer.enqueue(
                    new Work.Plain(stage.producer.nextUid(), Act.SLEEP, 0), JobOptions.NONE.priority(5));
            Stage.await(Duration.ofSeconds(10), () -> stage.count("rowlock.done WHERE id = " + next) == 1);
            Duration back = Duration.ofNanos(System.nanoTime() - free);
            stage.awaitEnded(Duration.ofSeconds(60));

            Duration all = Duration.ofNanos(System.nanoTime() - free);
            System.out.printf(
                    "disk full: %d of %d done; at work again %s after there was room, all done after %s%n",
                    before, BACKLOG, back, all);
            History history = stage.history();
            assertThat(workers).allMatch(worker -> said(worker, "No space left on device"));
            assertThat(history.told()).anyMatch(told -> told.fate() == Fate.ROLLED_BACK);
            assertThat(history.told()).noneMatch(told -> told.fate() == Fate.UNKNOWN);
            assertThat(before).isLessThan(BACKLOG);
            assertThat(history.rows())
                    .hasSizeGreaterThan(BACKLOG)
                    .allMatch(row -> row.state().equals("completed") && row.crashes() == 0);
            // A transactional listener's commit fails like any other statement of its own, and that costs a retry.
            Set<Long> transactional =
                    history.effects().stream().map(Effect::job).collect(Collectors.toSet());
            assertThat(history.rows())
                    .filteredOn(row -> !transactional.contains(row.id()))
                    .hasSizeGreaterThan(BACKLOG)
                    .allMatch(row -> row.attempt() == 1);
            assertThat(history.starts().stream().map(Start::job).filter(job -> !transactional.contains(job)))
                    .doesNotHaveDuplicates();
            assertThat(history.removals()).isEmpty();
            assertThat(Checker.check(history)).isEmpty();
        }
    }

    @Test
    void aServerThatPanicsForLackOfRoomForItsLogLosesNothing() {
        SmallDisk disk = openIfAllowed();
        try (Stage stage = new Stage(folder, Database.withLogOn(disk))) {
            stage.worker(stage.setup());
            stage.worker(stage.setup());
            IntStream.range(0, 6).forEach(i -> stage.sleep(12_000));
            Stage.await(Duration.ofSeconds(10), () -> stage.history().starts().size() == 6);
            backlog(stage);
            Stage.await(Duration.ofSeconds(20), () -> stage.count("rowlock.done") > 100);

            disk.fill();
            Stage.await(Duration.ofSeconds(30), () -> {
                if (stage.database.complaints().contains("PANIC")) {
                    return true;
                }
                stage.database.sql().sql("SELECT pg_switch_wal()").query().singleRow();
                return false;
            });
            Arena.last(Arena.PAST_LEASE);
            disk.free();
            boolean down = !stage.database.server().isRunning();
            if (down) {
                stage.database.server().startAgain();
            }
            stage.awaitEnded(Duration.ofSeconds(60));

            History history = stage.history();
            System.out.println("disk full of log: the server panicked and was " + (down ? "down" : "up again"));
            assertThat(stage.database.complaints()).contains("No space left on device");
            assertThat(history.starts()).hasSameSizeAs(history.rows());
            assertThat(history.rows())
                    .hasSize(BACKLOG + 6)
                    .allMatch(row -> row.state().equals("completed") && row.attempt() == 1 && row.crashes() == 0);
            assertThat(history.removals()).isEmpty();
            assertThat(Checker.check(history)).isEmpty();
        }
    }

    private static void backlog(Stage stage) {
        stage.producer.enqueueAll(
                IntStream.range(0, BACKLOG)
                        .mapToObj(i -> new Work.Plain(stage.producer.nextUid(), Act.SLEEP, 20))
                        .toList(),
                JobOptions.NONE,
                true);
    }

    private static boolean said(Worker worker, String what) {
        return worker.output().contains(what);
    }

    private static SmallDisk openIfAllowed() {
        try {
            return SmallDisk.open();
        } catch (UnsupportedOperationException e) {
            return Assumptions.abort(String.valueOf(e.getMessage()));
        }
    }
}
