package dev.rowlock.queue.test.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * The clock of an {@link EmbeddedServer}, which can be set forward and back while the server runs, as an operator or a time
 * service would do. Only the time of day is set: what the server waits for takes as long as ever. Other processes keep their
 * time.
 *
 * <p>Needs libfaketime (the package {@code faketime} of Debian and Ubuntu), which is loaded into the server's processes.
 * Thread-safe.
 */
public final class ServerClock implements AutoCloseable {

    private static final String LIBRARY = "libfaketime.so.1";

    /** Where distributions put it: one folder for each architecture, or one of two. */
    private static final List<Path> PARENTS = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"));

    private final Path library;
    private final Path folder;
    private final Path offsetFile;

    private ServerClock(Path library, Path folder) {
        this.library = library;
        this.folder = folder;
        this.offsetFile = folder.resolve("offset");
    }

    /** A new one that is right. Throws an {@link UnsupportedOperationException} that says why where there is no libfaketime. */
    public static ServerClock open() {
        try {
            ServerClock clock = new ServerClock(library(), Files.createTempDirectory("rowlock-clock-"));
            clock.set(Duration.ZERO);
            return clock;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create a folder for a clock", e);
        }
    }

    /** The same for a test, which is skipped where there is no libfaketime; but a machine that decides (CI is set) must have it. */
    public static ServerClock openOrSkip() {
        try {
            return open();
        } catch (UnsupportedOperationException e) {
            if (System.getenv("CI") != null) {
                throw e;
            }
            return Assumptions.abort(String.valueOf(e.getMessage()));
        }
    }

    /** From now on the server's clock is ahead of the true time by this much; behind it if negative. */
    public synchronized void set(Duration ahead) {
        try {
            Path fresh = folder.resolve("fresh");
            Files.writeString(
                    fresh, "%+d.%03d%n".formatted(ahead.toSeconds(), ahead.abs().toMillisPart()));
            Files.move(fresh, offsetFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot set the clock in " + offsetFile, e);
        }
    }

    /** What a process needs in its environment to go by this clock. */
    Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", library.toString(),
                "FAKETIME_TIMESTAMP_FILE", offsetFile.toString(),
                // Looks at the file each time: a statement that begins after the clock was set goes by the new time.
                "FAKETIME_NO_CACHE", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "NO_FAKE_STAT", "1");
    }

    /** Gives it up, after the server was closed. */
    @Override
    public synchronized void close() {
        try {
            Files.deleteIfExists(offsetFile);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    private static Path library() throws IOException {
        for (Path parent : PARENTS) {
            if (!Files.isDirectory(parent)) {
                continue;
            }
            Path direct = parent.resolve("faketime").resolve(LIBRARY);
            if (Files.exists(direct)) {
                return direct;
            }
            try (DirectoryStream<Path> architectures = Files.newDirectoryStream(parent, "*-linux-gnu*")) {
                for (Path architecture : architectures) {
                    Path library = architecture.resolve("faketime").resolve(LIBRARY);
                    if (Files.exists(library)) {
                        return library;
                    }
                }
            }
        }
        throw new UnsupportedOperationException(
                "no clock that can be set: %s is not in a folder 'faketime' below %s; Debian's package faketime has it"
                        .formatted(LIBRARY, PARENTS));
    }
}
