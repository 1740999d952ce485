package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.benchmark.stage.Pacer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * A drain of one queue by 1 to 50 nodes, all in this process, each with a pool and connections of its own. They are up and have
 * run some jobs when all others become visible at once, with one commit. Then single jobs, 1,000 a second: what it costs that
 * all nodes hear of each.
 */
final class Nodes implements Workload {

    private static final int[] NODES = {1, 2, 5, 10, 20, 50};
    private static final int[] FEW_NODES = {1, 2, 5};
    private static final int SECONDS = 10;
    private static final int SECONDS_OF_SINGLES = 5;
    private static final Duration SINGLES_PACE = Duration.ofMillis(1);
    private static final int WARM_UP_CALLS_PER_NODE = 20;

    /** Few, so that all nodes get some, on all of their connections. */
    private static final int WARM_UP_CALL = 50;

    @Override
    public String name() {
        return "nodes";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.NODES);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        int jobs = stage.size().jobs(peer.jobsPerSecond(), SECONDS);
        int[] all = stage.size().trial() ? FEW_NODES : NODES;
        for (int nodes : all) {
            stage.onNewDatabase(peer, (session, target) -> measure(stage, session, target, nodes, jobs, figures));
        }
        int most = all[all.length - 1];
        double ratio = figures.get("by_%d_jobs_per_s".formatted(most)) / figures.get("by_2_jobs_per_s");
        return figures.put("by_%d_to_by_2".formatted(most), ratio);
    }

    private static Figures measure(Stage stage, Session session, Target target, int nodes, int jobs, Figures figures) {
        String prefix = "by_%d_".formatted(nodes);
        Probe probe = Probe.counting();
        session.startWorkers(Crew.of(nodes, stage.size().workers()), probe);
        int first = nodes * WARM_UP_CALLS_PER_NODE * WARM_UP_CALL;
        for (int begin = 0; begin < first; begin += WARM_UP_CALL) {
            session.enqueueAll(jobs(begin, begin + WARM_UP_CALL));
        }
        stage.awaitDrained(session, probe, first);
        stage.settle(target);

        session.enqueueAll(jobs(first, first + jobs));
        long begin = System.nanoTime();
        Meter meter = stage.meter(session);
        long transactions = stage.server().transactions(target);
        long end = stage.awaitDrained(session, probe, (long) first + jobs);
        figures.rate(prefix + "jobs_per_s", jobs, end - begin);
        meter.perJob(figures, prefix, jobs);
        double count = stage.server().transactions(target) - transactions;
        figures.put(prefix + "transactions_per_1000_jobs", count * 1000 / jobs);

        stage.settle(target); // no vacuum shall come in between
        singles(stage, session, target, probe, prefix + "single_", figures);
        session.stopWorkers();
        return figures;
    }

    private static void singles(
            Stage stage, Session session, Target target, Probe probe, String prefix, Figures figures) {
        int jobs = (int) stage.size().duration(SECONDS_OF_SINGLES).dividedBy(SINGLES_PACE);
        long before = probe.count();
        long begin = System.nanoTime();
        Meter meter = stage.meter(session);
        long transactions = stage.server().transactions(target);
        Pacer.run(session, before, jobs, SINGLES_PACE, 1);
        long end = stage.awaitDrained(session, probe, before + jobs);
        figures.rate(prefix + "jobs_per_s", jobs, end - begin);
        meter.perJob(figures, prefix, jobs);
        double count = stage.server().transactions(target) - transactions;
        figures.put(prefix + "transactions_per_job", count / jobs);
    }

    private static List<Job> jobs(int from, int to) {
        return LongStream.range(from, to).mapToObj(Job::of).toList();
    }
}
