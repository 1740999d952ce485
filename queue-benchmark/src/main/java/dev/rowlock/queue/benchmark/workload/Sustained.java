package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Producers;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;

/**
 * Producers and workers together: jobs through all rooms, once from one thread that enqueues 500 per call, once from
 * four that enqueue one job per transaction.
 */
final class Sustained implements Workload {

    static final int BATCH = 500;
    private static final int SECONDS = 60;
    private static final int SECONDS_OF_WARM_UP = 15;

    @Override
    public String name() {
        return "sustained";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.SINGLE, Ability.LISTENS);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        if (peer.abilities().contains(Ability.BULK)) {
            measure(peer, stage, "bulk_", 1, BATCH, figures);
        }
        measure(peer, stage, "single_", 4, 1, figures);
        return figures;
    }

    /** A drain shows the compiler nothing of jobs that come one by one. */
    @Override
    public void warmUp(Peer peer, Stage stage) {
        run(peer, new Stage(stage.server(), stage.size().withSeconds(SECONDS_OF_WARM_UP)));
    }

    private static void measure(Peer peer, Stage stage, String prefix, int threads, int batch, Figures figures) {
        stage.onNewDatabase(peer, (session, target) -> {
            Duration time = stage.size().duration(SECONDS);
            Probe probe = Probe.counting();
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            try (Producers producers = Producers.start(session, probe, 0, threads, batch)) {
                stage.awaitFirst(probe);
                long before = probe.count();
                Meter meter = stage.meter(session);
                long begin = System.nanoTime();
                stage.pass(begin, time);
                long count = probe.count() - before;
                figures.rate(prefix + "jobs_per_s", count, System.nanoTime() - begin);
                meter.perJob(figures, prefix, count);
                producers.close();
                stage.awaitDrained(session, probe, producers.enqueued());
            }
            return figures;
        });
    }
}
