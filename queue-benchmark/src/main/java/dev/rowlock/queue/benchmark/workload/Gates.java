package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Latencies;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.benchmark.stage.HeldSnapshot;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * What keys, limits, rates, weights and order cost: runs what was enqueued before, without keys, with 100 keys under each rule,
 * and with 10,000 keys of which one job runs at once; jobs that a policy chooses; workflows and a batch; two of them once more
 * while a snapshot is held, so that dead rows stay; some of them once more by several nodes. Counts the server's processor time
 * for each job from the start of the workers to the last job's end. A peer takes part in what it can do. One with a process of
 * its own is cut off in a part that takes too long, and has no figures of it.
 */
final class Gates implements Workload {

    private static final int SECONDS = 3;
    private static final int WARM_UP = 5_000;
    private static final int FEW = 100;
    private static final int MANY = 10_000;
    private static final int CHAIN = 10;
    private static final int NODES = 10;

    /** Of one chain, as many as one call enqueues. */
    private static final int STEPS = 1_000;

    private static final Duration BOUND = Duration.ofMinutes(2);

    /** What runs of one peer in one part. */
    private record Part(Peer peer, Stage stage, Kind kind, int keys, int jobs) {

        String name() {
            return kind.name();
        }

        KeyRule rule() {
            return kind.rule();
        }

        boolean isPossible(Ability... more) {
            return peer.abilities().containsAll(rule().needs())
                    && peer.abilities().containsAll(Set.of(more))
                    && (kind.nodes() == 1 || peer.abilities().contains(Ability.NODES));
        }

        LongFunction<Job> job() {
            return keys == 0 ? Job::of : seq -> Job.ofKeys(seq, keys);
        }
    }

    @Override
    public String name() {
        return "gates";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of();
    }

    @Override
    public List<String> peers() {
        return List.of("rowlock", "graphile-worker", "pg-boss");
    }

    /** What is run of a part. */
    @FunctionalInterface
    private interface Run {
        void of(Part part, Figures figures);
    }

    private record Kind(String name, KeyRule rule, int keys, int nodes, Run run) {

        /** Run by one node. */
        Kind(String name, KeyRule rule, int keys, Run run) {
            this(name, rule, keys, 1, run);
        }

        /** The same run by several nodes. */
        Kind byNodes() {
            return new Kind("%s_by_%d".formatted(name, NODES), rule, keys, NODES, run);
        }
    }

    private static final Kind PLAIN = new Kind("plain", KeyRule.NONE, 0, Gates::drain);
    private static final Kind LIMITED = new Kind("limited", KeyRule.TEN_AT_ONCE, FEW, Gates::drain);
    private static final Kind LIMIT_ONE = new Kind("limit_one", KeyRule.ONE_AT_ONCE, MANY, Gates::drain);
    private static final Kind ORDERED = new Kind("ordered", KeyRule.IN_ORDER, MANY, Gates::drain);
    private static final Kind WORKFLOW =
            new Kind("workflow", KeyRule.NONE, 0, (part, to) -> chains(part, CHAIN, Ability.WORKFLOWS, to));

    private static final List<Kind> KINDS = List.of(
            PLAIN,
            new Kind("keys", KeyRule.TURNS, FEW, Gates::drain),
            LIMITED,
            new Kind("burst", KeyRule.BURST, FEW, Gates::drain),
            new Kind("rate", KeyRule.RATE, FEW, Gates::drain),
            new Kind("fair", KeyRule.WEIGHTS, FEW, Gates::drain),
            new Kind("limit_one_few", KeyRule.ONE_AT_ONCE, FEW, Gates::drain),
            LIMIT_ONE,
            ORDERED,
            new Kind("policy", KeyRule.POLICY, 0, Gates::drain),
            WORKFLOW,
            new Kind("batch", KeyRule.NONE, 0, (part, to) -> chains(part, 0, Ability.BATCHES, to)),
            new Kind("step", KeyRule.NONE, 0, Gates::steps),
            new Kind("limited_held", KeyRule.TEN_AT_ONCE, FEW, Gates::held),
            new Kind("limit_one_held", KeyRule.ONE_AT_ONCE, MANY, Gates::held),
            PLAIN.byNodes(),
            LIMITED.byNodes(),
            LIMIT_ONE.byNodes(),
            ORDERED.byNodes(),
            WORKFLOW.byNodes());

    @Override
    public List<String> parts() {
        return KINDS.stream().map(Kind::name).toList();
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        for (Kind kind : KINDS) {
            if (stage.size().has(kind.name())) {
                kind.run().of(part(peer, stage, kind), figures);
            }
        }
        return figures;
    }

    @Override
    public void warmUp(Peer peer, Stage stage) {
        if (!ownProcess(peer)) { // such a process is new in each part
            run(peer, new Stage(stage.server(), stage.size().withJobs(WARM_UP)));
        }
    }

    private static boolean ownProcess(Peer peer) {
        return peer.abilities().contains(Ability.CHILD);
    }

    /** At least two jobs of each key: a slow peer has fewer keys. */
    private static Part part(Peer peer, Stage stage, Kind kind) {
        int jobs = stage.size().jobs(peer.jobsPerSecond(kind.rule()), SECONDS);
        return new Part(peer, stage, kind, Math.min(kind.keys(), jobs / 2), jobs);
    }

    private static void drain(Part part, Figures figures) {
        if (part.isPossible()) {
            onNewDatabase(part, (session, target) -> {
                fill(part, session, target);
                return drained(part, session, figures);
            });
        }
    }

    /** Jobs without keys of which each runs after another one, nine of ten; or all at once, as one batch. */
    private static void chains(Part part, int length, Ability needed, Figures figures) {
        if (part.isPossible(needed)) {
            onNewDatabase(part, (session, target) -> {
                part.stage().fillChains(session, target, part.jobs(), length);
                return drained(part, session, figures);
            });
        }
    }

    /** From the start of a job to the start of the one that runs after it, while nothing else runs. */
    private static void steps(Part part, Figures figures) {
        int jobs = Math.min(STEPS, part.jobs());
        if (part.isPossible(Ability.WORKFLOWS) && !ownProcess(part.peer())) {
            onNewDatabase(part, (session, target) -> {
                Probe probe = Probe.timing(jobs);
                session.startWorkers(Crew.of(part.stage().size().workers()), probe);
                part.stage().fillChains(session, target, jobs, jobs);
                part.stage().awaitDrained(session, probe, jobs);
                long[] starts = probe.startNanos();
                Figures own = new Figures();
                Latencies steps =
                        Latencies.between(Arrays.copyOf(starts, jobs - 1), Arrays.copyOfRange(starts, 1, jobs));
                steps.note(own, "");
                steps.note(figures, part.name() + "_");
                System.out.printf("gates %s %s: %,d jobs, %s%n", part.peer().name(), part.name(), jobs, own);
                return own;
            });
        }
    }

    /** The same while a snapshot is held. */
    private static void held(Part part, Figures figures) {
        if (part.isPossible()) {
            onNewDatabase(part, (session, target) -> {
                fill(part, session, target);
                try (HeldSnapshot snapshot = HeldSnapshot.in(target)) {
                    return drained(part, session, figures);
                }
            });
        }
    }

    private static void fill(Part part, Session session, Target target) {
        if (part.rule() != KeyRule.NONE) {
            session.rule(part.rule(), part.keys());
        }
        part.stage().fill(session, target, 0, part.jobs(), part.job());
    }

    /** A peer's own process may hang or die, which must not end the run of all others. */
    private static void onNewDatabase(Part part, Stage.Act act) {
        try {
            part.stage().onNewDatabase(part.peer(), act);
        } catch (IllegalStateException e) {
            if (!ownProcess(part.peer())) {
                throw e;
            }
            System.out.printf("gates %s: no figures of %s: %s%n", part.peer().name(), part.name(), e.getMessage());
        }
    }

    private static Figures drained(Part part, Session session, Figures figures) {
        Stage stage = part.stage();
        Probe probe = Probe.counting();
        Meter meter = stage.meter(session);
        session.startWorkers(Crew.of(part.kind().nodes(), stage.size().workers()), probe);
        long end = ownProcess(part.peer())
                ? stage.awaitDrained(session, probe, part.jobs(), BOUND)
                : stage.awaitDrained(session, probe, part.jobs());
        Figures own = new Figures().rate("jobs_per_s", part.jobs(), end - probe.firstNanos());
        meter.perJob(own, "", part.jobs());
        figures.put(part.name() + "_jobs_per_s", own.get("jobs_per_s"));
        // A few hundred jobs may take less than the system's tick of 10 ms.
        figures.put(part.name() + "_us", own.values().getOrDefault("server_us_per_job", 0.0));
        System.out.printf(
                "gates %s %s: %,d jobs%s, %s%n",
                part.peer().name(),
                part.name(),
                part.jobs(),
                part.keys() == 0 ? "" : " of %,d keys".formatted(part.keys()),
                own);
        return own;
    }
}
