package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Child;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.registry.Worker;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;

/**
 * One call enqueues a stream of jobs in one transaction, then a node drains them, both in one process whose heap could
 * not hold the jobs. Fails if it runs out of memory. {@code heap_mb} is the most that was in use after a collection.
 */
final class Memory implements Workload {

    private static final int JOBS = 5_000_000;

    /** Held in memory, so many jobs would take about 800 MB. */
    private static final int HEAP_MEGABYTES = 256;

    /** Jobs that would fit into that heap prove nothing there: for them, little more than a node needs without any. */
    private static final int SMALL_HEAP_MEGABYTES = 32;

    private static final int FEW_JOBS = 1_000_000;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.STREAM);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        int jobs = stage.size().jobs() != null ? stage.size().jobs() : JOBS;
        int heap = jobs < FEW_JOBS ? SMALL_HEAP_MEGABYTES : HEAP_MEGABYTES;
        return stage.onNewDatabase(peer, (session, target) -> {
            Crew crew = Crew.of(stage.size().workers());
            Figures figures = new Figures().put("heap_limit_mb", heap);
            try (Child child = Worker.start(peer, target, crew, 0, heap)) {
                enqueue(child, jobs, figures);
                stage.settle(target);
                drain(child, stage, session, jobs, figures);
            }
            return figures;
        });
    }

    private static void enqueue(Child child, int jobs, Figures figures) {
        long begin = System.nanoTime();
        child.command("add 0 " + jobs, limit(jobs));
        figures.rate("enqueue_jobs_per_s", jobs, System.nanoTime() - begin);
        figures.put("enqueue_heap_mb", child.takeHeapMegabytes());
    }

    private static void drain(Child child, Stage stage, Session session, int jobs, Figures figures) {
        Probe probe = Probe.counting();
        child.work(probe);
        Await.until(
                "%d jobs run".formatted(jobs),
                () -> child.requireAlive() && probe.count() >= jobs,
                Duration.ofMillis(5),
                limit(jobs));
        long end = stage.awaitDrained(session, probe, jobs);
        figures.rate("drain_jobs_per_s", jobs, end - probe.firstNanos());
        figures.put("drain_heap_mb", child.takeHeapMegabytes());
    }

    /** A process that is short of memory collects without end: it need not die. */
    private static Duration limit(int jobs) {
        return Duration.ofSeconds(60 + jobs / 5_000);
    }

    /** Each run is a new process. */
    @Override
    public void warmUp(Peer peer, Stage stage) {}
}
