package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Allocation;
import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.util.Set;

/** Runs what was enqueued before, nothing else going on. Counts from the first job's start to the last one's end. */
final class Drain implements Workload {

    private static final int SECONDS = 5;

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of();
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        int jobs = stage.size().jobs(peer.jobsPerSecond(), SECONDS);
        return stage.onNewDatabase(peer, (session, target) -> {
            stage.fill(session, target, 0, jobs, Job::of);
            Probe probe = Probe.counting();
            Meter meter = stage.meter(session);
            long allocated = Allocation.byLiveThreads();
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            long end = stage.awaitDrained(session, probe, jobs);
            Figures figures = new Figures().rate("jobs_per_s", jobs, end - probe.firstNanos());
            meter.perJob(figures, "", jobs);
            if (!peer.abilities().contains(Ability.CHILD)) {
                long bytes = Allocation.byLiveThreads() - allocated;
                figures.put("client_bytes_per_job", (double) Math.max(0, bytes) / jobs);
            }
            return figures;
        });
    }
}
