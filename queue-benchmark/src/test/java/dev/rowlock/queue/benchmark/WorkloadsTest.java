package dev.rowlock.queue.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.registry.Peers;
import dev.rowlock.queue.benchmark.stage.Size;
import dev.rowlock.queue.benchmark.stage.Stage;
import dev.rowlock.queue.benchmark.workload.Workload;
import dev.rowlock.queue.benchmark.workload.Workloads;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keeps the benchmark from rotting. Says nothing about speed. Workloads themselves fail if a job did not run once. */
class WorkloadsTest {

    private static final Size SMALL = new Size(300, 1, 0, 1, Set.of());

    private final Stage stage = new Stage(Server.ofTests(), SMALL);

    static Stream<String> workloads() {
        return Workloads.all().stream().map(Workload::name);
    }

    @ParameterizedTest
    @MethodSource("workloads")
    @LongRunning
    void everyWorkloadMeasuresRowlockAndItsFloor(String name) {
        Workload workload = Workloads.named(name);
        List<Peer> peers = Runs.able(workload, SMALL, Peers.named(List.of("rowlock", "floor-retention")));

        List<Figures> figures =
                peers.stream().map(peer -> workload.run(peer, stage)).toList();

        assertThat(peers).contains(Peers.named("rowlock"));
        assertThat(figures).isNotEmpty().allSatisfy(WorkloadsTest::plausible);
    }

    @Test
    void someOfAWorkloadsPartsCanBeChosen() {
        Size some = new Size(300, 1, 0, 1, Set.of("plain", "limited"));

        Figures figures = Workloads.named("gates").run(Peers.named("rowlock"), new Stage(Server.ofTests(), some));

        assertThat(figures.names()).containsExactly("plain_jobs_per_s", "plain_us", "limited_jobs_per_s", "limited_us");
    }

    @Test
    @LongRunning
    void fastJobsBehindSlowOnesAreTimedForEveryPeerThatHasTwoNodes() {
        List<Peer> peers = Peers.named(List.of("rowlock", "db-scheduler"));

        List<Figures> figures = peers.stream()
                .map(peer -> Workloads.named("mixed").run(peer, stage))
                .toList();

        assertThat(figures)
                .allSatisfy(each -> assertThat(each.get("fast_done_ms")).isPositive());
    }

    @Test
    void aPeerWithoutQueuesIsNotMeasuredOnMany() {
        List<Peer> peers = Peers.named(List.of("rowlock", "floor", "db-scheduler"));

        List<Peer> able = Runs.able(Workloads.named("idle"), new Size(null, null, 0, 100, Set.of()), peers);

        assertThat(able).containsExactly(Peers.named("rowlock"));
    }

    /** As a list they would take about 50 MB, in a heap of 32 MB. */
    @Test
    @LongRunning
    void aStreamIsEnqueuedAndDrainedInAHeapThatCouldNotHoldItsJobs() {
        Stage large = new Stage(Server.ofTests(), new Size(300_000, null, 0, 1, Set.of()));

        Figures figures = Workloads.named("memory").run(Peers.named("rowlock"), large);

        assertThat(figures.get("enqueue_heap_mb")).isPositive().isLessThan(figures.get("heap_limit_mb"));
        assertThat(figures.get("drain_heap_mb")).isPositive().isLessThan(figures.get("heap_limit_mb"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rowlock-no-retention", "floor", "db-scheduler", "quartz", "seed", "seed-no-skip"})
    @LongRunning
    void everyPeerInThisJvmDrains(String peer) {
        Figures figures = Workloads.named("drain").run(Peers.named(peer), stage);

        plausible(figures);
        assertThat(figures.get("jobs_per_s")).isPositive();
    }

    @Test
    @LongRunning
    void jobRunrDrainsAfterItsFirstPoll() {
        Figures figures = Workloads.named("drain").run(Peers.named("jobrunr"), stage);

        assertThat(figures.get("jobs_per_s")).isPositive();
    }

    private static void plausible(Figures figures) {
        assertThat(figures.values()).isNotEmpty();
        assertThat(figures.values().values())
                .allSatisfy(value -> assertThat(value).isFinite().isNotNegative());
    }
}
