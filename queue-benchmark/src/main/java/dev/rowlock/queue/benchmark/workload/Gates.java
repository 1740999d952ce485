package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * What keys, limits, rates, weights and order cost: runs what was enqueued before, without keys, with 100 keys under each rule, and with 10,000 keys of which one job
 * runs at once; and workflows and a batch; two of them once more while a snapshot is held, so that dead rows stay. Counts the server's processor time for each job from the start of the workers to the last job's end.
 */
final class Gates implements Workload {

    private static final int SECONDS = 3;
    private static final int WARM_UP = 5_000;
    private static final int FEW = 100;
    private static final int MANY = 10_000;
    private static final int CHAIN = 10;

    @Override
    public String name() {
        return "gates";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.KEYS);
    }

    @Override
    public List<String> peers() {
        return List.of("rowlock");
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        LongFunction<Job> few = seq -> Job.ofKeys(seq, FEW);
        LongFunction<Job> many = seq -> Job.ofKeys(seq, MANY);
        part(peer, stage, "plain", KeyRule.NONE, Job::of, figures);
        part(peer, stage, "keys", KeyRule.NONE, few, figures);
        part(peer, stage, "limited", KeyRule.TEN_AT_ONCE, few, figures);
        part(peer, stage, "rate", KeyRule.RATE, few, figures);
        part(peer, stage, "fair", KeyRule.WEIGHTS, few, figures);
        part(peer, stage, "limit_one", KeyRule.ONE_AT_ONCE, many, figures);
        part(peer, stage, "ordered", KeyRule.IN_ORDER, many, figures);
        chains(peer, stage, "workflow", CHAIN, figures);
        chains(peer, stage, "batch", 0, figures);
        held(peer, stage, "limited_held", KeyRule.TEN_AT_ONCE, few, figures);
        held(peer, stage, "limit_one_held", KeyRule.ONE_AT_ONCE, many, figures);
        return figures;
    }

    @Override
    public void warmUp(Peer peer, Stage stage) {
        run(peer, new Stage(stage.server(), stage.size().withJobs(WARM_UP)));
    }

    private static void part(
            Peer peer, Stage stage, String name, KeyRule rule, LongFunction<Job> job, Figures figures) {
        int jobs = stage.size().jobs(peer.jobsPerSecond(), SECONDS);
        stage.onNewDatabase(peer, (session, target) -> {
            session.rule(rule);
            stage.fill(session, target, 0, jobs, job);
            return drained(session, stage, name, jobs, figures);
        });
    }

    /** Jobs without keys of which each runs after another one, nine of ten; or all at once, as one batch. */
    private static void chains(Peer peer, Stage stage, String name, int length, Figures figures) {
        if (!peer.abilities().contains(Ability.WORKFLOWS)) {
            return;
        }
        int jobs = stage.size().jobs(peer.jobsPerSecond(), SECONDS);
        stage.onNewDatabase(peer, (session, target) -> {
            stage.fillChains(session, target, jobs, length);
            return drained(session, stage, name, jobs, figures);
        });
    }

    /** The same while a snapshot is held. */
    private static void held(
            Peer peer, Stage stage, String name, KeyRule rule, LongFunction<Job> job, Figures figures) {
        int jobs = stage.size().jobs(peer.jobsPerSecond(), SECONDS);
        stage.onNewDatabase(peer, (session, target) -> {
            session.rule(rule);
            stage.fill(session, target, 0, jobs, job);
            try (HeldSnapshot snapshot = HeldSnapshot.in(target)) {
                return drained(session, stage, name, jobs, figures);
            }
        });
    }

    private static Figures drained(Session session, Stage stage, String name, int jobs, Figures figures) {
        Probe probe = Probe.counting();
        Meter meter = stage.meter(session);
        session.startWorkers(Crew.of(stage.size().workers()), probe);
        long end = stage.awaitDrained(session, probe, jobs);
        Figures own = new Figures().rate("jobs_per_s", jobs, end - probe.firstNanos());
        meter.perJob(own, "", jobs);
        figures.put(name + "_jobs_per_s", own.get("jobs_per_s"));
        figures.put(name + "_us", own.get("server_us_per_job"));
        return own;
    }
}
