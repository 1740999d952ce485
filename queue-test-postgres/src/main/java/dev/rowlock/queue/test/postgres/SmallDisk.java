package dev.rowlock.queue.test.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A file system that can be made full at any moment. What is there stays, but no file can grow: whoever tries gets the
 * system's own "No space left on device".
 *
 * <p>It lies in memory, in a name space that only {@link #inside} processes see. That takes no rights on the machine
 * where unprivileged name spaces are allowed, and nothing of it outlives the processes. Thread-safe.
 */
public final class SmallDisk implements AutoCloseable {

    private static final String FREE_SIZE = "8g";
    private static final int TIMEOUT_SECONDS = 10;

    /**
     * Ends with its input, thus also with this JVM. Full means: as large as it is used. The size is tried several times
     * because others write meanwhile; the first file is there because a size of 0 would be no limit.
     */
    private static final String KEEPER = """
            mount -t tmpfs -o size=$2,mode=700 rowlock "$1" && mkdir "$1/data" && echo 1 > "$1/some" || exit 1
            echo ready
            while read -r word; do
                case $word in
                    fill)
                        for try in 1 2 3 4 5 6 7 8 9 10; do
                            used=$(df -kP "$1" | awk 'NR == 2 { print $3 }')
                            said=$(mount -o remount,size="$used"k rowlock "$1" 2>&1) && said=ready && break
                        done ;;
                    free) said=$(mount -o remount,size=$2 rowlock "$1" 2>&1) && said=ready ;;
                esac
                echo "$said"
            done
            """;

    private final Path folder;
    private final Process keeper;
    private final BufferedReader answers;
    private final Writer orders;

    private SmallDisk(Path folder, Process keeper) {
        this.folder = folder;
        this.keeper = keeper;
        this.answers = keeper.inputReader(StandardCharsets.UTF_8);
        this.orders = keeper.outputWriter(StandardCharsets.UTF_8);
    }

    /** A new one, with room. Throws an {@link UnsupportedOperationException} that says why where that is not allowed. */
    public static SmallDisk open() {
        try {
            Path folder = Files.createTempDirectory("rowlock-disk-");
            Process keeper = new ProcessBuilder("unshare", "-rm", "sh", "-c", KEEPER, "keeper", "" + folder, FREE_SIZE)
                    .redirectErrorStream(true)
                    .start();
            SmallDisk disk = new SmallDisk(folder, keeper);
            String answer = disk.answers.readLine();
            if (!"ready".equals(answer)) {
                disk.close();
                throw new UnsupportedOperationException(
                        "this machine lets nobody mount a file system of his own: " + answer);
            }
            return disk;
        } catch (IOException e) {
            throw new UnsupportedOperationException("this machine has no unshare: " + e.getMessage(), e);
        }
    }

    /** A folder on it, empty at first. Only processes inside can see it. */
    public Path folder() {
        return folder.resolve("data");
    }

    /** From now on no file can grow. */
    public void fill() {
        order("fill");
    }

    /** There is room again. */
    public void free() {
        order("free");
    }

    /** Runs a command that sees this disk, to its end. Throws, with what it said, if it fails. */
    public void run(String... command) {
        List<String> line = inside();
        line.addAll(Arrays.asList(command));
        try {
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("%s failed: %s".formatted(line, said));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + line, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + line, e);
        }
    }

    /** How the command line of a process begins that sees this disk. It believes to be root, and can do what this JVM can. */
    List<String> inside() {
        return new ArrayList<>(
                List.of("nsenter", "-t", Long.toString(keeper.pid()), "-U", "-m", "--preserve-credentials"));
    }

    private synchronized void order(String word) {
        try {
            orders.write(word + "\n");
            orders.flush();
            String answer = answers.readLine();
            if (!"ready".equals(answer)) {
                throw new IllegalStateException("cannot %s the disk: %s".formatted(word, answer));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot %s the disk".formatted(word), e);
        }
    }

    /** Gives it up; it is gone when the last process inside has ended. */
    @Override
    public synchronized void close() {
        try {
            orders.close();
            if (!keeper.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                keeper.destroyForcibly();
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            keeper.destroyForcibly();
        }
    }
}
