package dev.rowlock.queue.benchmark.peer;

import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.measure.ProcessCpu;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process that runs jobs and tells about it, one line each:
 *
 * <pre>
 *   to it    rule RULE KEYS     so many keys from now  from it  ready              its tables are there
 *            add FROM COUNT     enqueue jobs
 *            chain FROM COUNT   enqueue jobs in chains
 *                  LENGTH
 *            work FROM MILLIS   start to run them: those        did COMMAND
 *                               numbered from FROM on take
 *                               so long, others no time
 *            heap               collect garbage                 ran COUNT          so many more, now and then
 *            stop               clean up and end                heap BYTES         the most after a collection since asked
 *                                                               start SEQ NANOS    at the end, for each job timed
 *                                                               stopped
 * </pre>
 */
public final class Child implements AutoCloseable {

    private static final String END = "the end";

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final Process process;
    private final PrintWriter commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile Probe probe;
    private volatile long heapBytes;

    private Child(Process process, Probe probe) {
        this.process = process;
        this.probe = probe;
        this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        Thread reader = new Thread(this::read, "child-reader");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts it and waits until it is ready. What it writes to its standard error goes to ours. */
    public static Child start(List<String> command, Path folder) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Child child = new Child(process, Probe.counting());
            child.await("ready", TIMEOUT);
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts its workers, which call this probe. */
    public void work(Probe called) {
        probe = called;
        command("work %d %d".formatted(called.slowFrom(), called.slowTime().toMillis()));
    }

    /** Sends a command and waits until it is done. */
    public void command(String line) {
        command(line, TIMEOUT);
    }

    /** Sends a command and waits until it is done, which may take so long. */
    public void command(String line, Duration longest) {
        commands.println(line);
        await("did " + line.split(" ", 2)[0], longest);
    }

    /** The most heap that it had in use after a garbage collection since it was last asked. */
    public double takeHeapMegabytes() {
        command("heap");
        return heapBytes / (double) (1 << 20);
    }

    /** True, or an {@link IllegalStateException} with what it said before it died. */
    public boolean requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("a child process died, saying " + answers);
        }
        return true;
    }

    public Duration cpu() {
        return new ProcessCpu(process.pid()).withDescendants();
    }

    private void await(String answer, Duration longest) {
        try {
            String heard = answers.poll(longest.toSeconds(), TimeUnit.SECONDS);
            if (!answer.equals(heard)) {
                process.destroyForcibly();
                answers.add(END); // whoever asks next need not wait
                throw new IllegalStateException(
                        "expected '%s' from a child process, heard '%s'".formatted(answer, heard));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null) {
                heard(line);
                line = lines.readLine();
            }
        } catch (IOException e) {
            answers.add("nothing more: " + e.getMessage());
        }
        answers.add(END);
    }

    private void heard(String line) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case "ran" -> probe.ranElsewhere(Long.parseLong(words[1]));
            case "heap" -> heapBytes = Long.parseLong(words[1]);
            case "start" -> probe.startedElsewhere(Integer.parseInt(words[1]), Long.parseLong(words[2]));
            default -> answers.add(line);
        }
    }

    /** Lets it tell what is left to tell, and ends it. */
    @Override
    public void close() {
        commands.println("stop");
        try {
            await("stopped", TIMEOUT);
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
