package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.stage.HeldSnapshot;
import dev.rowlock.queue.benchmark.stage.Producers;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;

/**
 * Producers and workers together while another session holds a snapshot, as a long report or a forgotten transaction
 * does: no dead row can be removed meanwhile. What counts is how the last window compares to the first.
 */
final class Held implements Workload {

    private static final int SECONDS = 300;
    private static final int WINDOWS_OF_SECONDS = 15;

    @Override
    public String name() {
        return "held";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.BULK, Ability.LISTENS);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        return stage.onNewDatabase(peer, (session, target) -> {
            try (HeldSnapshot snapshot = HeldSnapshot.in(target)) {
                return windows(session, stage);
            }
        });
    }

    private static Figures windows(Session session, Stage stage) {
        Duration all = stage.size().duration(SECONDS);
        int count = Math.max(2, (int) (all.toSeconds() / WINDOWS_OF_SECONDS));
        Duration window = all.dividedBy(count);
        Figures figures = new Figures();
        Probe probe = Probe.counting();
        session.startWorkers(Crew.of(stage.size().workers()), probe);
        double first = 0;
        double last = 0;
        try (Producers producers = Producers.start(session, probe, 0, 1, Sustained.BATCH)) {
            stage.awaitFirst(probe);
            stage.pass(System.nanoTime(), window.dividedBy(3)); // until all run at their speed
            for (int i = 1; i <= count; i++) {
                long before = probe.count();
                long begin = System.nanoTime();
                stage.pass(begin, window);
                last = (probe.count() - before) * 1e9 / (System.nanoTime() - begin);
                first = i == 1 ? last : first;
                figures.put("window_%02d_jobs_per_s".formatted(i), last);
            }
            producers.enqueued();
        }
        return figures.put("first_jobs_per_s", first)
                .put("last_jobs_per_s", last)
                .put("last_to_first", last / first);
    }
}
