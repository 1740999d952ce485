package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.util.List;
import java.util.Set;

/**
 * Runs what was enqueued before, where each job writes one row: job by job, and in chunks of 500 where the peer knows such. Rows and
 * "done" commit together where the peer can. Fails unless there is one row for each job.
 */
final class Effects implements Workload {

    private static final int BATCH = 500;

    /** Each part of a run. */
    private static final int SECONDS = 3;

    /** Jobs that write a row one by one are slower than those that do nothing; in chunks they are not. */
    private static final int SLOWER = 3;

    private static final int SLOWER_ONE_BY_ONE = 20;

    private static final int WARM_UP = 5_000;

    private static final String TABLE = "CREATE TABLE effect (seq bigint PRIMARY KEY, text text)";

    @Override
    public String name() {
        return "effects";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.EFFECTS);
    }

    @Override
    public List<String> peers() {
        return List.of("rowlock", "db-scheduler");
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        boolean chunks = peer.abilities().contains(Ability.CHUNKS);
        if (chunks) {
            part(peer, stage, BATCH, 1, "chunk_jobs_per_s", figures);
            part(peer, stage, 1, SLOWER_ONE_BY_ONE, "single_jobs_per_s", figures);
        } else {
            part(peer, stage, 1, SLOWER, "jobs_per_s", figures);
        }
        return figures;
    }

    @Override
    public void warmUp(Peer peer, Stage stage) {
        run(peer, new Stage(stage.server(), stage.size().withJobs(WARM_UP)));
    }

    private static void part(Peer peer, Stage stage, int batch, int slower, String figure, Figures figures) {
        int jobs = stage.size().jobs(peer.jobsPerSecond() / slower, SECONDS);
        stage.onNewDatabase(peer, (session, target) -> {
            Sql.execute(target.unpooled(), TABLE);
            stage.fill(session, target, 0, jobs, Job::of);
            Probe probe = Probe.counting();
            session.startWriters(Crew.of(stage.size().workers()), probe, batch);
            long end = stage.awaitDrained(session, probe, jobs);
            long rows = Sql.number(target.unpooled(), "SELECT count(*) FROM effect");
            if (rows != jobs) {
                throw new IllegalStateException("%d jobs have written %d rows".formatted(jobs, rows));
            }
            return figures.rate(figure, jobs, end - probe.firstNanos());
        });
    }
}
