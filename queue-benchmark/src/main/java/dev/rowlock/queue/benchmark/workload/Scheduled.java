package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Set;

/** A drain beside a million jobs that are due tomorrow. */
final class Scheduled implements Workload {

    private static final int LATER = 1_000_000;
    private static final int SECONDS = 5;

    @Override
    public String name() {
        return "scheduled";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.BULK, Ability.DELAY);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        int jobs = stage.size().jobs(peer.jobsPerSecond(), SECONDS);
        int later = stage.size().jobs() != null ? stage.size().jobs() : LATER;
        return stage.onNewDatabase(peer, (session, target) -> {
            stage.fill(session, target, jobs, later, seq -> new Job(seq, 0, Duration.ofDays(1), Job.TEXT));
            stage.fill(session, target, 0, jobs, Job::of);
            Probe probe = Probe.counting();
            Meter meter = stage.meter(session);
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            long end = stage.awaitDrained(session, probe, jobs);
            Figures figures = new Figures().rate("jobs_per_s", jobs, end - probe.firstNanos());
            meter.perJob(figures, "", jobs);
            return figures;
        });
    }
}
