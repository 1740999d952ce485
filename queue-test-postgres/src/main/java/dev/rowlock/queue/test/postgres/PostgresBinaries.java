package dev.rowlock.queue.test.postgres;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/** The programs of PostgreSQL: taken from a jar on the class path, unpacked once per machine and version, and run. */
final class PostgresBinaries {

    private static final int TIMEOUT_SECONDS = 120;
    /** {@code initdb (PostgreSQL) 18.6}; before a release 19beta1. */
    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");

    private static final int EXECUTABLE_BY_OWNER = 0100;

    /** Where this JVM has found or unpacked them, by parent: some tests start a server each, and reading all of the archive takes a while. */
    private static final Map<Path, Path> FOLDERS = new ConcurrentHashMap<>();

    private final Path folder;
    private final @Nullable SmallDisk disk;
    private final Map<String, String> environment;

    private PostgresBinaries(Path folder, @Nullable SmallDisk disk, Map<String, String> environment) {
        this.folder = folder;
        this.disk = disk;
        this.environment = environment;
    }

    /** Unpacks them below {@code parent} unless that was done before. */
    static PostgresBinaries below(Path parent) {
        return new PostgresBinaries(FOLDERS.computeIfAbsent(parent, PostgresBinaries::unpacked), null, Map.of());
    }

    private static Path unpacked(Path parent) {
        try (InputStream found = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system(), architecture())) {
            byte[] archive = found.readAllBytes();
            Path folder = parent.resolve("binaries-" + digest(archive));
            if (!Files.exists(folder)) {
                unpack(archive, folder);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack PostgreSQL below " + parent, e);
        }
    }

    /** The same programs, run where they see this disk. */
    PostgresBinaries inside(SmallDisk smallDisk) {
        return new PostgresBinaries(folder, smallDisk, environment);
    }

    /** The same programs, run so that they go by this clock. */
    PostgresBinaries by(ServerClock clock) {
        return new PostgresBinaries(folder, disk, clock.environment());
    }

    /** Their major version. */
    int version() {
        try {
            Process process = new ProcessBuilder(program("initdb"), "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(said);
            if (!version.find()) {
                throw new IllegalStateException("initdb of %s says of its version: %s".formatted(folder, said));
            }
            return Integer.parseInt(version.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot ask the programs in %s for their version".formatted(folder), e);
        }
    }

    private String program(String name) {
        return folder.resolve("bin").resolve(name).toString();
    }

    /** Runs a program to its end and appends what it says to {@code log}. Throws, with what it said, if it fails. */
    void run(Path log, String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (disk != null) {
            command.addAll(disk.inside());
        }
        if (disk != null || LinuxUtils.isUnshareAvailable()) {
            // PostgreSQL refuses to run as root; in a user namespace of its own it does not see that it does.
            command.addAll(List.of("unshare", "-U"));
        }
        if (!environment.isEmpty()) {
            // Only for the program itself: what a launcher that is replaced by it has loaded is never cleaned up.
            command.add("env");
            environment.forEach((name, value) -> command.add(name + "=" + value));
        }
        command.add(program(program));
        command.addAll(List.of(arguments));
        try {
            long start = Files.exists(log) ? Files.size(log) : 0;
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("%s took longer than %d s:%n%s"
                        .formatted(
                                command, TIMEOUT_SECONDS, Files.readString(log).substring((int) start)));
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException("%s failed:%n%s"
                        .formatted(command, Files.readString(log).substring((int) start)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + command, e);
        }
    }

    private static void unpack(byte[] archive, Path folder) throws IOException {
        Files.createDirectories(folder.getParent());
        Path unfinished = Files.createTempDirectory(folder.getParent(), "unpacking-");
        try (TarArchiveInputStream entries =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            TarArchiveEntry entry = entries.getNextEntry();
            while (entry != null) {
                unpack(entry, entries, unfinished.resolve(entry.getName()));
                entry = entries.getNextEntry();
            }
            // Another JVM may be unpacking too. Whoever is first wins, and nobody ever sees half a folder.
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.exists(folder)) {
                throw e;
            }
        } finally {
            FileSystemUtils.deleteRecursively(unfinished);
        }
    }

    private static void unpack(TarArchiveEntry entry, InputStream content, Path target) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
            Files.copy(content, target);
            target.toFile().setExecutable((entry.getMode() & EXECUTABLE_BY_OWNER) != 0, false);
        }
    }

    private static String digest(byte[] archive) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(archive);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private static String system() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return name.startsWith("mac") ? "Darwin" : name.startsWith("windows") ? "Windows" : "Linux";
    }

    private static String architecture() {
        String architecture = System.getProperty("os.arch");
        return architecture.equals("amd64") ? "x86_64" : architecture;
    }
}
