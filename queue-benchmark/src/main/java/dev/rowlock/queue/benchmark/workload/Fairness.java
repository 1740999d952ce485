package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Whether small tenants wait for a giant one. The giant enqueues a million jobs; then come a hundred tenants with ten jobs each, or ten thousand.
 * A round is as many jobs as there are tenants, the giant among them. Counts how many jobs start, in rounds, until each small tenant has had its first:
 * <ul>
 *   <li>{@code waiting}: all jobs are there when the workers start, and do nothing: many are claimed at a time;
 *   <li>{@code arriving}: the small tenants come while the giant's jobs run, which take a millisecond.
 * </ul>
 *
 * <p>Then what the giant costs the others: the server's processor time for each of 100,000 jobs of a hundred tenants, beside a giant with a hundredth of its
 * jobs, a tenth, and all; and for each of its own jobs after that. Says which bars were missed, and by how much.
 */
final class Fairness implements Workload {

    private static final int GIANT = 1_000_000;
    private static final int FEW = 100;
    private static final int JOBS_EACH = 10;
    private static final int JOBS_BESIDE = 1_000;
    private static final String GIANT_KEY = "giant";
    private static final Duration HANDLER = Duration.ofMillis(1);
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    /** The first job of each tenant starts within so many rounds. */
    private static final double ROUNDS = 2;

    /** A job beside the whole giant costs so many times more than beside a hundredth of it, at most: what the measurement can tell from none. */
    private static final double COST = 1.25;

    /** The small tenants of a case; the giant's jobs have the numbers above theirs. */
    private record Small(int tenants, int jobsEach) {

        int jobs() {
            return tenants * jobsEach;
        }

        Job job(long seq) {
            return Job.ofKeys(seq, tenants);
        }

        Job giant(long seq) {
            return new Job(seq, 0, Duration.ZERO, Job.TEXT, GIANT_KEY);
        }
    }

    @Override
    public String name() {
        return "fairness";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.FAIR);
    }

    @Override
    public List<String> peers() {
        return List.of("rowlock");
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        int giant = stage.size().jobs() == null ? GIANT : stage.size().jobs();
        Small few = new Small(Math.min(FEW, giant / 10), JOBS_EACH);
        Small many = new Small(Math.max(few.tenants(), giant / 100), JOBS_EACH);
        Figures figures = new Figures();
        figures.put("few_waiting_rounds", waiting(peer, stage, giant, few));
        figures.put("few_arriving_rounds", arriving(peer, stage, giant, few));
        figures.put("many_waiting_rounds", waiting(peer, stage, giant, many));
        figures.put("many_arriving_rounds", arriving(peer, stage, giant, many));
        Small busy = new Small(few.tenants(), stage.size().trial() ? JOBS_EACH : JOBS_BESIDE);
        cost(peer, stage, giant / 100, busy, "hundredth", figures);
        cost(peer, stage, giant / 10, busy, "tenth", figures);
        cost(peer, stage, giant, busy, "whole", figures);
        return figures.put("bars_missed", judge(peer, figures));
    }

    private static double waiting(Peer peer, Stage stage, int giant, Small small) {
        Figures seen = stage.onNewDatabase(peer, (session, target) -> {
            Probe probe = Probe.timing(small.jobs() + giant);
            session.rule(KeyRule.TURNS, small.tenants() + 1);
            stage.fill(session, target, small.jobs(), giant, small::giant);
            stage.fill(session, target, 0, small.jobs(), small::job);
            long begin = System.nanoTime();
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            return new Figures().put("rounds", rounds(probe, begin, small));
        });
        return seen.get("rounds");
    }

    private static double arriving(Peer peer, Stage stage, int giant, Small small) {
        Figures seen = stage.onNewDatabase(peer, (session, target) -> {
            Probe probe = Probe.mixed(small.jobs() + giant, 0, HANDLER);
            session.rule(KeyRule.TURNS, small.tenants() + 1);
            stage.fill(session, target, small.jobs(), giant, small::giant);
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            Await.until("some jobs run", () -> probe.count() >= giant / 1_000, Duration.ofMillis(1), TIMEOUT);
            session.enqueueAll(
                    LongStream.range(0, small.jobs()).mapToObj(small::job).toList());
            return new Figures().put("rounds", rounds(probe, System.nanoTime(), small));
        });
        return seen.get("rounds");
    }

    /** Waits until each small tenant has had its first job. Returns how many jobs have started since then, in rounds. */
    private static double rounds(Probe probe, long begin, Small small) {
        Await.until(
                "a job of each tenant",
                () -> last(firsts(probe.startNanos(), small)) != Long.MAX_VALUE,
                Duration.ofMillis(50),
                TIMEOUT);
        long[] starts = probe.startNanos();
        long last = last(firsts(starts, small));
        long started = Arrays.stream(starts)
                .filter(at -> at != 0 && at - begin > 0 && at - last <= 0)
                .count();
        return (double) started / (small.tenants() + 1);
    }

    /** When the first job of each tenant has started; {@link Long#MAX_VALUE} if none has. */
    private static long[] firsts(long[] starts, Small small) {
        long[] firsts = new long[small.tenants()];
        Arrays.fill(firsts, Long.MAX_VALUE);
        for (int seq = 0; seq < small.jobs(); seq++) {
            int tenant = seq % small.tenants();
            if (starts[seq] != 0) {
                firsts[tenant] = Math.min(firsts[tenant], starts[seq]);
            }
        }
        return firsts;
    }

    private static long last(long[] firsts) {
        return Arrays.stream(firsts).max().orElseThrow();
    }

    private static void cost(Peer peer, Stage stage, int giant, Small small, String name, Figures figures) {
        stage.onNewDatabase(peer, (session, target) -> {
            Probe probe = Probe.timing(small.jobs());
            session.rule(KeyRule.TURNS, small.tenants() + 1);
            stage.fill(session, target, small.jobs(), giant, small::giant);
            stage.fill(session, target, 0, small.jobs(), small::job);
            Meter beside = stage.meter(session);
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            Await.until("the small tenants' jobs", () -> allStarted(probe), Duration.ofMillis(20), TIMEOUT);
            long ran = probe.count();
            Figures seen = new Figures();
            beside.perJob(seen, "beside_", ran);
            Meter own = stage.meter(session);
            stage.awaitDrained(session, probe, (long) giant + small.jobs());
            own.perJob(seen, "own_", giant + small.jobs() - ran);
            for (String whose : List.of("beside", "own")) {
                Double cost = seen.values().get(whose + "_server_us_per_job");
                figures.put("%s_%s_us".formatted(whose, name), cost == null ? 0 : cost);
            }
            return seen;
        });
    }

    private static boolean allStarted(Probe probe) {
        return Arrays.stream(probe.startNanos()).allMatch(at -> at != 0);
    }

    private static double judge(Peer peer, Figures figures) {
        double missed = 0;
        for (String name : figures.names()) {
            if (name.endsWith("_rounds")) {
                missed += judge(peer, name, figures.get(name), ROUNDS);
            }
        }
        for (String whose : List.of("beside", "own")) {
            double least = figures.get(whose + "_hundredth_us");
            if (least > 0) {
                String ratio = whose + ": whole by hundredth";
                missed += judge(peer, ratio, figures.get(whose + "_whole_us") / least, COST);
            }
        }
        return missed;
    }

    private static int judge(Peer peer, String name, double value, double bar) {
        boolean passed = value <= bar;
        System.out.printf(
                Locale.ROOT,
                "fairness %s: %s %.2f, %s %.2f%n",
                peer.name(),
                name,
                value,
                passed ? "passes the bar of" : "MISSES the bar of",
                bar);
        return passed ? 0 : 1;
    }
}
