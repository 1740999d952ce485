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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Larger payloads: what it costs to put them in, and to run them. */
final class Payload implements Workload {

    /** Compresses about as well as real documents do. */
    private static final String[] WORDS = {
        "alpha",
        "customer",
        "order",
        "42",
        "shipped",
        "true",
        "2026-11-20",
        "berlin",
        "invoice",
        "19.99",
        "pending",
        "id"
    };

    private static final Map<String, Integer> SIZES = new LinkedHashMap<>();

    static {
        SIZES.put("1k", 1 << 10);
        SIZES.put("32k", 32 << 10);
        SIZES.put("1m", 1 << 20);
    }

    /** So much in all, for each size. */
    private static final long BYTES = 512L << 20;

    @Override
    public String name() {
        return "payload";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.SINGLE);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        Figures figures = new Figures();
        SIZES.forEach((name, bytes) -> {
            long most = Math.min(peer.jobsPerSecond(), BYTES / bytes);
            long jobs = stage.size().jobs() == null
                    ? most
                    : Math.max(1, Math.min(most, stage.size().jobs() * 1024L / bytes));
            measure(peer, stage, "of_" + name + "_", text(bytes), jobs, figures);
        });
        return figures;
    }

    private static void measure(Peer peer, Stage stage, String prefix, String text, long jobs, Figures figures) {
        stage.onNewDatabase(peer, (session, target) -> {
            Meter filling = stage.meter(session);
            long begin = System.nanoTime();
            for (long seq = 0; seq < jobs; seq++) {
                session.enqueue(new Job(seq, 0, Duration.ZERO, text));
            }
            figures.rate(prefix + "enqueued_per_s", jobs, System.nanoTime() - begin);
            filling.perJob(figures, prefix + "enqueue_", jobs);
            stage.server().checkpoint();
            Probe probe = Probe.counting();
            Meter meter = stage.meter(session);
            session.startWorkers(Crew.of(stage.size().workers()), probe);
            long end = stage.awaitDrained(session, probe, jobs);
            figures.rate(prefix + "jobs_per_s", jobs, end - probe.firstNanos());
            meter.perJob(figures, prefix, jobs);
            return figures;
        });
    }

    private static String text(int bytes) {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder(bytes + 16);
        while (text.length() < bytes) {
            text.append(WORDS[random.nextInt(WORDS.length)])
                    .append(random.nextInt(1000))
                    .append(' ');
        }
        return text.substring(0, bytes);
    }
}
