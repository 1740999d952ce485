package dev.rowlock.queue.benchmark.registry;

import dev.rowlock.queue.benchmark.measure.HeapPeak;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Child;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** A peer's workers in a JVM of their own: what {@link Child} talks to. */
public final class Worker {

    private static final int HEAP_MEGABYTES = 512;

    /** Further options of their JVMs, with a space between; these must not print to the standard output. */
    private static final String JVM_OPTIONS = "bench.worker.jvm";

    private Worker() {}

    /** Starts such a process for a peer of this process, for this many timed jobs. */
    public static Child start(Peer peer, Target target, Crew crew, int jobs) {
        return start(peer, target, crew, jobs, HEAP_MEGABYTES);
    }

    /** Starts such a process with a heap of its own size. When that is full, the process ends. */
    public static Child start(Peer peer, Target target, Crew crew, int jobs, int heapMegabytes) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command =
                new ArrayList<>(List.of(java, "-Xmx" + heapMegabytes + "m", "-XX:+ExitOnOutOfMemoryError"));
        String options = System.getProperty(JVM_OPTIONS);
        if (options != null) {
            command.addAll(List.of(options.split(" ")));
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                Worker.class.getName(),
                peer.name(),
                target.jdbcUrl(),
                target.username(),
                target.password(),
                Integer.toString(crew.workers()),
                Integer.toString(jobs)));
        return Child.start(command, Path.of("").toAbsolutePath());
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // what others print is not for our parent
        HeapPeak heap = HeapPeak.watch();
        System.setProperty("logback.configurationFile", "logback-benchmark.xml");
        Target target = new Target(arguments[1], arguments[2], arguments[3]);
        int timed = Integer.parseInt(arguments[5]);
        Probe probe = Probe.timing(timed);
        ScheduledExecutorService teller = Executors.newSingleThreadScheduledExecutor();
        try (Session session = Peers.named(arguments[0]).open(target)) {
            out.println("ready");
            Teller told = new Teller(probe, out);
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String command = commands.readLine();
            while (command != null && !command.equals("stop")) { // null: our parent has gone
                String[] words = command.split(" ");
                switch (words[0]) {
                    case "add" -> add(session, Long.parseLong(words[1]), Long.parseLong(words[2]));
                    case "work" -> {
                        probe = Probe.mixed(timed, Long.parseLong(words[1]), millis(words[2]));
                        told = new Teller(probe, out);
                        session.startWorkers(Crew.of(Integer.parseInt(arguments[4])), probe);
                        teller.scheduleWithFixedDelay(
                                told, 0, Duration.ofMillis(20).toMillis(), TimeUnit.MILLISECONDS);
                    }
                    case "heap" -> out.println("heap " + heap.takeBytes());
                    default -> throw new IllegalArgumentException("no such command: " + command);
                }
                out.println("did " + words[0]);
                command = commands.readLine();
            }
            session.stopWorkers();
            teller.shutdownNow();
            told.run();
            starts(probe, out);
            out.println("stopped");
        }
        System.exit(0);
    }

    private static Duration millis(String word) {
        return Duration.ofMillis(Long.parseLong(word));
    }

    private static void add(Session session, long from, long count) {
        session.enqueueStream(LongStream.range(from, from + count).mapToObj(Job::ofItsOwn));
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
