package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;

/** A drain by 1 to 100 workers whose jobs take 1 ms, as articles on the subject plot it. */
final class Workers implements Workload {

    private static final int[] WORKERS = {1, 10, 50, 100};
    private static final Duration HANDLER = Duration.ofMillis(1);
    private static final int SECONDS = 5;

    @Override
    public String name() {
        return "workers";
    }

    /** A child process has its own idea of a listener. */
    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.WORKERS);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        if (peer.abilities().contains(Ability.CHILD)) {
            return figures;
        }
        for (int workers : WORKERS) {
            int jobs = stage.size().jobs(Math.min(peer.jobsPerSecond(), 900 * workers), SECONDS);
            stage.onNewDatabase(peer, (session, target) -> {
                stage.fill(session, target, 0, jobs, Job::of);
                Probe probe = Probe.taking(HANDLER);
                session.startWorkers(Crew.of(workers), probe);
                long end = stage.awaitDrained(session, probe, jobs);
                return figures.rate("with_%d_jobs_per_s".formatted(workers), jobs, end - probe.firstNanos());
            });
        }
        return figures;
    }
}
