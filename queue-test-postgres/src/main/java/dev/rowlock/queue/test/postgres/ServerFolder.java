package dev.rowlock.queue.test.postgres;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * A temporary folder for a server's data, kept from others by a file lock. A JVM that is killed loses its locks and
 * leaves its servers running; the next JVM that needs a folder finds and removes them.
 */
final class ServerFolder {

    private static final String MEMORY = "/dev/shm";

    /** Each user has one: no one else could write to it. */
    static final Path PARENT = below(System.getProperty("java.io.tmpdir"));

    /**
     * The same in memory. Tests make and drop a database for each class, hundreds of files each, and ext4 looks long for numbers of files that were
     * not deleted lately: on a disk, two fifths of the processor time of all tests went there.
     */
    private static final Path IN_MEMORY = below(MEMORY);

    /** A container's {@code /dev/shm} has 64 MB by default. */
    private static final long ENOUGH_MEMORY = 8L << 30;

    private static final Logger LOG = LoggerFactory.getLogger(ServerFolder.class);
    private static final String PREFIX = "server-";
    private static final String LOCK = "lock";
    private static final String DATA = "data";
    /** A folder this young may belong to somebody who has not locked it yet. */
    private static final Duration YOUNG = Duration.ofMinutes(1);

    /**
     * This JVM's, which it never tries to lock again: where locks are the process's, as on Linux, the lock that it holds would be
     * gone when the second channel is closed, and the next JVM would stop the server.
     */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel lock;

    private ServerFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** @param lasting whether what is written should reach a disk; otherwise it stays in memory where there is enough */
    static ServerFolder create(PostgresBinaries binaries, boolean lasting) {
        Path parent = lasting || !enoughMemory() ? PARENT : IN_MEMORY;
        try {
            Files.createDirectories(parent);
            removeLeftovers(parent, binaries);
            Path folder = Files.createTempDirectory(parent, PREFIX);
            OWN.add(folder);
            FileChannel lock =
                    FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            lock.lock();
            return new ServerFolder(folder, lock);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create a folder for a server below " + parent, e);
        }
    }

    private static Path below(String folder) {
        return Path.of(folder, "rowlock-postgres-" + System.getProperty("user.name"));
    }

    private static boolean enoughMemory() {
        File memory = new File(MEMORY);
        return memory.canWrite() && memory.getUsableSpace() >= ENOUGH_MEMORY;
    }

    Path data() {
        return folder.resolve(DATA);
    }

    void delete() {
        try {
            lock.close();
            FileSystemUtils.deleteRecursively(folder);
            OWN.remove(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    private static void removeLeftovers(Path parent, PostgresBinaries binaries) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path folder : folders) {
                if (OWN.contains(folder)) {
                    continue;
                }
                try {
                    removeIfAbandoned(folder, binaries);
                } catch (NoSuchFileException e) {
                    // Another JVM was quicker.
                } catch (IOException | RuntimeException e) {
                    LOG.warn("Cannot remove {}, which a killed JVM left behind; carrying on", folder, e);
                }
            }
        }
    }

    private static void removeIfAbandoned(Path folder, PostgresBinaries binaries) throws IOException {
        Instant born = Files.getLastModifiedTime(folder).toInstant();
        if (born.isAfter(Instant.now().minus(YOUNG))) {
            return;
        }
        try (FileChannel channel =
                        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                @Nullable FileLock lock = channel.tryLock()) {
            if (lock == null) {
                return;
            }
            if (EmbeddedServer.isRunning(folder.resolve(DATA))) {
                EmbeddedServer.stop(binaries, folder.resolve(DATA), "immediate");
            }
            FileSystemUtils.deleteRecursively(folder);
        }
    }
}
