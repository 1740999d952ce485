package dev.rowlock.queue.chaos.cluster;

import dev.rowlock.queue.chaos.proxy.TcpProxy;
import dev.rowlock.queue.chaos.worker.Trait;
import dev.rowlock.queue.chaos.worker.WorkerMain;
import dev.rowlock.queue.chaos.worker.WorkerOptions;
import dev.rowlock.queue.test.postgres.DrawnServer;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a run: its proxies, which stay, and its process, which comes and goes. Each process has a name of its
 * own. Used by one thread at a time.
 */
public final class Worker implements AutoCloseable {

    private final String place;
    private final WorkerSetup setup;
    private final @Nullable String url;
    private final TcpProxy pool;
    private final TcpProxy direct;
    private final List<Path> logs = new ArrayList<>();
    private @Nullable Process process;
    private int incarnation;
    private boolean retired;
    private Set<Trait> traits = Set.of();

    public Worker(String place, WorkerSetup setup, int databasePort) {
        this(place, setup, databasePort, null);
    }

    /** One that does not go through its proxies, but where this URL says. */
    public Worker(String place, WorkerSetup setup, String url) {
        this(place, setup, 0, url);
    }

    private Worker(String place, WorkerSetup setup, int databasePort, @Nullable String url) {
        this.place = place;
        this.setup = setup;
        this.url = url;
        this.pool = new TcpProxy(databasePort);
        this.direct = new TcpProxy(databasePort);
    }

    /** What the pool's connections go through. */
    public TcpProxy pool() {
        return pool;
    }

    /** What the connections of lease and notification listener go through. */
    public TcpProxy direct() {
        return direct;
    }

    /** Where it stands, such as {@code w1}: the same for all its processes. */
    public String place() {
        return place;
    }

    /** The name of the process of now. */
    public String name() {
        return place + "-" + incarnation;
    }

    /** What the process of now has chosen. */
    public Set<Trait> traits() {
        return traits;
    }

    /** What all its processes wrote down. */
    public List<Path> logs() {
        return List.copyOf(logs);
    }

    /** Everything that the process of now printed. */
    public String output() {
        try {
            return Files.readString(setup.folder().resolve(name() + ".out"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what %s printed".formatted(name()), e);
        }
    }

    /** Stops the process in good order; none is started here any more. */
    public void retire() {
        retired = true;
        if (alive()) {
            terminate();
            awaitExit(Duration.ofSeconds(20));
        }
    }

    /** Starts a process, if there is none; returns at once. */
    public void start() {
        if (retired || alive()) {
            return;
        }
        incarnation++;
        Path log = setup.folder().resolve(name() + ".log");
        logs.add(log);
        traits = setup.traits().get();
        WorkerOptions options = new WorkerOptions(
                name(),
                url(pool),
                url(direct),
                log,
                setup.concurrency(),
                setup.lease(),
                setup.heartbeat(),
                setup.drain(),
                setup.fresh(),
                setup.password(),
                traits);
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Duser.timezone=" + DrawnServer.zone(TestSeed.random(place)),
                "-cp",
                setup.classPath().isEmpty() ? classPath() : setup.classPath(),
                WorkerMain.class.getName()));
        command.addAll(options.arguments());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(setup.folder().resolve(name() + ".out").toFile());
        builder.environment().putAll(setup.environment());
        try {
            Files.createFile(log);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name(), e);
        }
    }

    /** Waits until the process of now runs jobs, but not longer than this; false if it does not. */
    public boolean awaitStarted(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (!said("started")) {
            if (!alive() || System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(50_000_000);
        }
        return true;
    }

    private boolean said(String note) {
        try {
            return Files.readString(setup.folder().resolve(name() + ".log")).contains("|note|0|0|" + note);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what %s did".formatted(name()), e);
        }
    }

    public boolean alive() {
        return process != null && process.isAlive();
    }

    /** SIGKILL: ends at once, without a word. */
    public void kill() {
        current().destroyForcibly();
        awaitExit(Duration.ofSeconds(10));
    }

    /** SIGTERM: asks it to stop; returns at once. */
    public void terminate() {
        current().destroy();
    }

    /** SIGSTOP: nothing moves in it any more, and it does not know. */
    public void freeze() {
        signal("STOP");
    }

    /** SIGCONT. */
    public void thaw() {
        signal("CONT");
    }

    /** Whether the process ended within this time. */
    public boolean awaitExit(Duration longest) {
        try {
            return current().waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
        }
        pool.close();
        direct.close();
    }

    private Process current() {
        if (process == null) {
            throw new IllegalStateException(place + " was never started");
        }
        return process;
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(current().pid()))
                    .start()
                    .waitFor(5, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot signal " + name(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String url(TcpProxy proxy) {
        return url != null ? url : "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(proxy.port());
    }

    /** That of this process. Surefire hides it in a jar, and tells it here. */
    public static String classPath() {
        return System.getProperty(
                        "chaos.class.path",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")))
                .replace("\n", File.pathSeparator);
    }
}
