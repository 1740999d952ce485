package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/** How fast the first jobs of a backlog go, by its depth, with 21 priorities mixed. */
final class Backlog implements Workload {

    private static final int DEEPEST = 10_000_000;

    /** Measured at each depth: some seconds' worth. */
    private static final int SAMPLE = 300_000;

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.BULK, Ability.PRIORITY);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        int deepest = stage.size().jobs() != null ? stage.size().jobs() : DEEPEST;
        Figures figures = new Figures();
        double shallow = measure(peer, stage, deepest / 100, figures);
        measure(peer, stage, deepest / 10, figures);
        double deep = measure(peer, stage, deepest, figures);
        return figures.put("deepest_to_shallowest", deep / shallow);
    }

    private static double measure(Peer peer, Stage stage, int depth, Figures figures) {
        String name = "at_%s_jobs_per_s".formatted(words(depth));
        stage.onNewDatabase(peer, (session, target) -> {
            stage.fill(session, target, 0, depth, Backlog::mixed);
            Probe probe = Probe.counting();
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            int sample = Math.min(depth, SAMPLE);
            Await.until(
                    sample + " jobs run", () -> probe.count() >= sample, Duration.ofMillis(1), Duration.ofMinutes(10));
            return figures.rate(name, probe.count(), System.nanoTime() - probe.firstNanos());
        });
        return figures.get(name);
    }

    /** Spread by a multiplicative hash, so that neighbours differ. */
    private static Job mixed(long seq) {
        int priority = (int) Long.remainderUnsigned(seq * 0x9E3779B97F4A7C15L >>> 8, 21) - 10;
        return new Job(seq, priority, Duration.ZERO, Job.TEXT);
    }

    private static String words(int depth) {
        if (depth % 1_000_000 == 0) {
            return depth / 1_000_000 + "m";
        }
        return depth % 1_000 == 0 ? depth / 1_000 + "k" : String.format(Locale.ROOT, "%d", depth);
    }
}
