package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.stage.Producers;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;

/** Only enqueues: one job per transaction from 1 and from 8 threads, and many per transaction from one. */
final class Enqueue implements Workload {

    private static final int SECONDS = 5;
    private static final int SECONDS_OF_WARM_UP = 5;
    private static final int BATCH = 1_000;

    @Override
    public String name() {
        return "enqueue";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.SINGLE);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        return stage.onNewDatabase(peer, (session, target) -> {
            Figures figures = new Figures();
            Duration time = stage.size().duration(SECONDS);
            measure(stage, session, "single_", 0, 1, 1, time, figures);
            measure(stage, session, "single_8_", 1L << 32, 8, 1, time, figures);
            if (peer.abilities().contains(Ability.BULK)) {
                stage.server().checkpoint();
                measure(stage, session, "bulk_", 2L << 32, 1, BATCH, time, figures);
            }
            return figures;
        });
    }

    private static void measure(
            Stage stage,
            Session session,
            String prefix,
            long from,
            int threads,
            int batch,
            Duration time,
            Figures figures) {
        // A probe that is always far ahead: producers wait for nobody.
        Probe nobody = Probe.counting();
        nobody.ranElsewhere(Long.MAX_VALUE / 2);
        Meter meter = stage.meter(session);
        long begin = System.nanoTime();
        try (Producers producers = Producers.start(session, nobody, from, threads, batch)) {
            stage.pass(begin, time);
            long count = producers.enqueued();
            figures.rate(prefix + "jobs_per_s", count, System.nanoTime() - begin);
            meter.perJob(figures, prefix, count);
        }
    }

    /** Enqueues a little of each. */
    @Override
    public void warmUp(Peer peer, Stage stage) {
        run(peer, new Stage(stage.server(), stage.size().withSeconds(SECONDS_OF_WARM_UP)));
    }
}
