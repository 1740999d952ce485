package dev.rowlock.queue.chaos.worker;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What this process did, line by line, outside the database. A line is one write, so it survives the process, however
 * that ends. Times are monotonic, the same for all processes of a machine.
 */
final class ActionLog {

    private final String node;
    /** Not a channel: an interrupt of a handler that writes would close it for all. */
    private final FileOutputStream file;

    ActionLog(Path file, String node) {
        this.node = node;
        try {
            this.file = new FileOutputStream(file.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot append to " + file, e);
        }
    }

    /** A handler begins. */
    void start(long job, long token, long uid, int attempt, int crashes) {
        write("start|%d|%d|%d|%d|%d".formatted(job, token, uid, attempt, crashes));
    }

    /** A handler ends; {@code how} is {@code returned} or what it threw. */
    void end(long job, long token, String how) {
        write("end|%d|%d|%s".formatted(job, token, how));
    }

    /** The node was told that an outcome was recorded, or {@code lost}. */
    void outcome(long job, long token, String label) {
        write("outcome|%d|%d|%s".formatted(job, token, label));
    }

    /** The process is alive. */
    void pulse() {
        write("pulse|0|0|alive");
    }

    /** The process runs the jobs of this queue, on so many threads. */
    void serves(String queue, int threads) {
        write("serves|0|0|%s|%d".formatted(queue, threads));
    }

    /** A thread of Rowlock's own is missing. */
    void gone(String thread) {
        write("gone|0|0|" + thread);
    }

    /** User code found on its thread what other user code had left there. */
    void trace(String what) {
        write("trace|0|0|" + what);
    }

    /** The process is about to end, in good order. */
    void note(String what) {
        write("note|0|0|" + what);
    }

    private void write(String line) {
        String text = "%s|%d|%d|%s%n".formatted(node, System.nanoTime(), System.currentTimeMillis(), line);
        try {
            synchronized (file) {
                file.write(text.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot log what was done", e);
        }
    }
}
