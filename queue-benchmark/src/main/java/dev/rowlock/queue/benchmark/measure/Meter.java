package dev.rowlock.queue.benchmark.measure;

import java.time.Duration;
import java.util.function.Supplier;

/** Processor time of server and client from its start on. */
public final class Meter {

    private final Supplier<Duration> server;
    private final Supplier<Duration> client;
    private final Duration serverAtStart;
    private final Duration clientAtStart;

    private Meter(Supplier<Duration> server, Supplier<Duration> client) {
        this.server = server;
        this.client = client;
        this.serverAtStart = server.get();
        this.clientAtStart = client.get();
    }

    public static Meter start(Supplier<Duration> server, Supplier<Duration> client) {
        return new Meter(server, client);
    }

    /** Notes processor time per job, in microseconds; leaves out what the system does not tell. */
    public void perJob(Figures figures, String prefix, long jobs) {
        add(figures, prefix + "server_us_per_job", server.get().minus(serverAtStart), jobs);
        add(figures, prefix + "client_us_per_job", client.get().minus(clientAtStart), jobs);
    }

    /** Notes the share of one processor, in percent, over this time. */
    public void share(Figures figures, Duration time) {
        figures.put(
                "server_cpu_percent", 100.0 * server.get().minus(serverAtStart).toNanos() / time.toNanos());
        figures.put(
                "client_cpu_percent", 100.0 * client.get().minus(clientAtStart).toNanos() / time.toNanos());
    }

    private static void add(Figures figures, String name, Duration used, long jobs) {
        if (!used.isZero() && jobs > 0) {
            figures.put(name, used.toNanos() / 1000.0 / jobs);
        }
    }
}
