package dev.rowlock.queue.benchmark.peer;

import dev.rowlock.queue.benchmark.Target;
import dev.rowlock.queue.benchmark.measure.Probe;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A peer's workers in a JVM of their own: what {@link Child} talks to. */
public final class Worker {

    private Worker() {}

    /** Starts such a process for a peer of this process, for this many timed jobs. */
    public static Child start(Peer peer, Target target, Crew crew, int jobs) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Child.start(
                List.of(
                        java,
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        peer.name(),
                        target.jdbcUrl(),
                        target.username(),
                        target.password(),
                        Integer.toString(crew.workers()),
                        Integer.toString(jobs)),
                Path.of("").toAbsolutePath());
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // what others print is not for our parent
        System.setProperty("logback.configurationFile", "logback-benchmark.xml");
        Target target = new Target(arguments[1], arguments[2], arguments[3]);
        Probe probe = Probe.timing(Integer.parseInt(arguments[5]));
        ScheduledExecutorService teller = Executors.newSingleThreadScheduledExecutor();
        try (Session session = Peers.named(arguments[0]).open(target)) {
            out.println("ready");
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            if (!"work".equals(commands.readLine())) {
                return;
            }
            session.startWorkers(Crew.of(Integer.parseInt(arguments[4])), probe);
            out.println("did work");
            Teller told = new Teller(probe, out);
            teller.scheduleWithFixedDelay(told, 0, Duration.ofMillis(20).toMillis(), TimeUnit.MILLISECONDS);
            commands.readLine(); // stop, or our parent has gone
            session.stopWorkers();
            teller.shutdownNow();
            told.run();
            starts(probe, out);
            out.println("stopped");
        }
        System.exit(0);
    }

    private static void starts(Probe probe, PrintStream out) {
        long[] starts = probe.startNanos();
        for (int seq = 0; seq < starts.length; seq++) {
            if (starts[seq] != 0) {
                out.println("start " + seq + " " + starts[seq]);
            }
        }
        out.flush();
    }

    /** Tells how many jobs have run since it last did. */
    private static final class Teller implements Runnable {

        private final Probe probe;
        private final PrintStream out;
        private long told;

        Teller(Probe probe, PrintStream out) {
            this.probe = probe;
            this.out = out;
        }

        @Override
        public synchronized void run() {
            long now = probe.count();
            if (now > told) {
                out.println("ran " + (now - told));
                told = now;
            }
        }
    }
}
