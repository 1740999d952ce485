package dev.rowlock.queue.chaos.upgrade;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main of this package in a process of its own. */
final class Program implements AutoCloseable {

    private final Process process;
    private final Path output;

    private Program(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static Program start(Class<?> main, String classPath, Path output, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx96m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                main.getName()));
        command.addAll(List.of(arguments));
        try {
            return new Program(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start(),
                    output);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + main.getName(), e);
        }
    }

    /** @throws IllegalStateException with what it printed, if it fails or does not end in time */
    void awaitSuccess(Duration longest) {
        if (!ended(longest) || process.exitValue() != 0) {
            throw new IllegalStateException("it failed:%n%s".formatted(printed()));
        }
    }

    /** Waits until it has ended, but not longer than this. */
    void awaitEnd(Duration longest) {
        ended(longest);
    }

    /** SIGTERM, and a moment to end what it does. */
    void stop() {
        if (!process.isAlive()) {
            throw new IllegalStateException("it had ended by itself:%n%s".formatted(printed()));
        }
        process.destroy();
        if (!ended(Duration.ofSeconds(15))) {
            throw new IllegalStateException("it does not stop:%n%s".formatted(printed()));
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private boolean ended(Duration longest) {
        try {
            return process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private String printed() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + output, e);
        }
    }
}
