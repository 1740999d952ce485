package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Latencies;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Child;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.benchmark.registry.Worker;
import dev.rowlock.queue.benchmark.stage.Pacer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From a job's commit to its listener's start, with producers here and workers in another process: idle, one job each 50
 * ms, and at 1,000 jobs a second. The commit is when the producer has heard of it; {@code call} is from when the
 * producer began to enqueue. {@link #cold} measures the first jobs of a process, idle.
 */
final class Latency implements Workload {

    private static final int SECONDS = 30;

    /** Until a JVM has compiled what matters: while it still does so, a job in fifty waits for a core. */
    private static final int WARM_UP_JOBS = 10_000;

    private static final Duration WARM_UP_PACE = Duration.ofMillis(2);

    /** So many jobs a process has run soon after its start, when next to nothing is compiled. */
    private static final int FIRST_JOBS = 60;

    private static final Duration IDLE_PACE = Duration.ofMillis(50);

    private final boolean cold;

    private Latency(boolean cold) {
        this.cold = cold;
    }

    static Latency warm() {
        return new Latency(false);
    }

    /** Of workers that have just started. */
    static Latency cold() {
        return new Latency(true);
    }

    @Override
    public String name() {
        return cold ? "latency-cold" : "latency";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.SINGLE, Ability.LISTENS);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Duration time = stage.size().duration(cold ? SECONDS / 3 : SECONDS);
        Figures figures = new Figures();
        measure(peer, stage, time, IDLE_PACE, 1, "", figures);
        if (!cold && peer.jobsPerSecond() > 1_000) {
            measure(peer, stage, time, Duration.ofMillis(1), 4, "at_1000_", figures);
        }
        return figures;
    }

    private void measure(
            Peer peer, Stage stage, Duration time, Duration pace, int threads, String prefix, Figures figures) {
        int jobs = (int) time.dividedBy(pace);
        int warmUp = cold
                ? FIRST_JOBS
                : Math.min(Math.min(WARM_UP_JOBS, peer.jobsPerSecond() / 2), (int) time.toMillis() / 2);
        stage.onNewDatabase(peer, (session, target) -> {
            Probe probe = Probe.timing(jobs);
            Child child = startWorkers(peer, session, target, stage.size().workers(), probe, jobs);
            Pacer.run(session, jobs, warmUp, cold ? IDLE_PACE : WARM_UP_PACE, threads);
            Pacer timed = Pacer.run(session, 0, jobs, pace, threads);
            Await.until(
                    "all jobs run", () -> probe.count() >= jobs + warmUp, Duration.ofMillis(10), Duration.ofMinutes(2));
            stopWorkers(session, child);
            long[] starts = probe.startNanos();
            Latencies latencies = Latencies.between(timed.committed(), starts);
            if (latencies.count() != jobs) {
                throw new IllegalStateException("%d of %d jobs were timed".formatted(latencies.count(), jobs));
            }
            latencies.note(figures, prefix);
            Latencies.between(timed.called(), starts).note(figures, prefix + "call_");
            return figures;
        });
    }

    private static @Nullable Child startWorkers(
            Peer peer, Session session, Target target, int workers, Probe probe, int jobs) {
        if (peer.abilities().contains(Ability.CHILD)) {
            session.startWorkers(Crew.of(workers), probe);
            return null;
        }
        Child child = Worker.start(peer, target, Crew.of(workers), jobs);
        child.work(probe);
        return child;
    }

    private static void stopWorkers(Session session, @Nullable Child child) {
        if (child == null) {
            session.stopWorkers();
        } else {
            child.close();
        }
    }

    /** Each run warms up both processes by itself. */
    @Override
    public void warmUp(Peer peer, Stage stage) {}
}
