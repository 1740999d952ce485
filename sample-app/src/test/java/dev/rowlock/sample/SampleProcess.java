package dev.rowlock.sample;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.web.client.RestClientException;

/** The sample in a Java process of its own, so that it can be killed. */
final class SampleProcess {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process process;
    private final Path log;
    private final Shop shop;

    private SampleProcess(Process process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.shop = new Shop(port);
    }

    /** Starts it; {@link #awaitUp} says when it is up. */
    static SampleProcess start(Path folder, String name, int port, int postgresPort) {
        return start(folder, name, port, postgresPort, classPath());
    }

    /** The same on another class path. {@code options} are the JVM's. */
    static SampleProcess start(
            Path folder, String name, int port, int postgresPort, String classPath, String... options) {
        Path log = folder.resolve(name + ".log");
        List<String> command = new ArrayList<>(List.of(java(), "-Xmx256m", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-cp",
                classPath,
                SampleApplication.class.getName(),
                "--server.port=" + port,
                "--rowlock.worker.node-name=" + name,
                // A killed process is missed after three heartbeats; the default waits longer.
                "--rowlock.worker.heartbeat=1s",
                "--rowlock.worker.lease=3s",
                "--sample.postgres.data-dir=" + folder.resolve("data"),
                "--sample.postgres.port=" + postgresPort));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new SampleProcess(process, log, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Of this test. */
    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    SampleProcess awaitUp() {
        await().atMost(PATIENCE).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("it ended before it was up:\n" + log());
            }
            return up();
        });
        return this;
    }

    Shop shop() {
        return shop;
    }

    /** Kills it as {@code kill -9} does: it gets no chance to say anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Asks it to stop, as Ctrl-C does, and waits for that. */
    void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("it does not stop:\n" + log());
        }
    }

    private boolean up() {
        try {
            return shop.text("/actuator/health").contains("UP");
        } catch (RestClientException e) {
            return false;
        }
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
