package dev.rowlock.sample.postgres;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.springframework.util.FileSystemUtils;

/** Unpacks the programs of PostgreSQL for this machine from a jar on the class path. */
final class Binaries {

    private static final int EXECUTABLE_BY_OWNER = 0100;

    private Binaries() {}

    /**
     * Unpacks them below {@code parent} unless that was done before. One process at a time.
     *
     * @return the folder that holds {@code bin}
     */
    static Path below(Path parent) {
        try (InputStream found = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system(), architecture())) {
            byte[] archive = found.readAllBytes();
            Path folder = parent.resolve("postgres-" + digest(archive));
            if (!Files.exists(folder)) {
                unpack(archive, folder);
            }
            return folder;
        } catch (IOException | IllegalStateException e) {
            throw new EmbeddedPostgresException(
                    "its programs cannot be unpacked into %s: %s".formatted(parent, e.getMessage()), e);
        }
    }

    private static void unpack(byte[] archive, Path folder) throws IOException {
        // A process that is killed here leaves a folder that the next one begins again, never half of one that is used.
        Path unfinished = folder.resolveSibling("postgres-unfinished");
        FileSystemUtils.deleteRecursively(unfinished);
        Files.createDirectory(unfinished);
        try (TarArchiveInputStream entries =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            TarArchiveEntry entry = entries.getNextEntry();
            while (entry != null) {
                unpack(entry, entries, unfinished.resolve(entry.getName()));
                entry = entries.getNextEntry();
            }
        }
        Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
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
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive), 0, 8);
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
