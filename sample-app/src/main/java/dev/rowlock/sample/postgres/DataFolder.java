package dev.rowlock.sample.postgres;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.util.FileSystemUtils;

/** The folder that keeps the server's programs, data, password and log. Only its owner can look into it. */
record DataFolder(Path path, Privileges privileges) {

    static final String USER = "sample";

    /** A file lock belongs to the whole JVM: it keeps other processes out, this keeps out our own threads. */
    private static final ReentrantLock THIS_PROCESS = new ReentrantLock();

    private static final List<String> SETTINGS = List.of(
            "",
            "# Of the sample. Nobody outside this machine, and no files outside this folder.",
            "listen_addresses = 'localhost'",
            "unix_socket_directories = ''",
            "log_line_prefix = '%m [%p] '");

    /** Creates the folder if there is none. */
    static DataFolder at(Path path) {
        try {
            DataFolder folder = new DataFolder(
                    Files.createDirectories(path.toAbsolutePath()).toRealPath(), Privileges.needed());
            folder.privileges().hand(folder.path());
            if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString("rwx------"));
            }
            return folder;
        } catch (IOException e) {
            throw new EmbeddedPostgresException("its folder %s cannot be used: %s".formatted(path, e), e);
        }
    }

    /** Runs this while no other process starts or stops the server. */
    <T> T locked(Supplier<T> action) {
        THIS_PROCESS.lock();
        try (FileChannel channel =
                        FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            return action.get();
        } catch (IOException e) {
            throw new EmbeddedPostgresException("its folder %s cannot be locked: %s".formatted(path, e), e);
        } finally {
            THIS_PROCESS.unlock();
        }
    }

    Path data() {
        return path.resolve("data");
    }

    Path log() {
        return path.resolve("postgres.log");
    }

    Programs programs() {
        try {
            Files.write(log(), new byte[0], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            privileges.hand(log());
        } catch (IOException e) {
            throw new EmbeddedPostgresException("its log %s cannot be written: %s".formatted(log(), e), e);
        }
        return new Programs(Binaries.below(path), log(), privileges);
    }

    String password() {
        try {
            return Files.readString(passwordFile()).strip();
        } catch (IOException e) {
            throw new EmbeddedPostgresException("its password cannot be read: " + e, e);
        }
    }

    /** Creates the data unless that was done before. A start that was killed in the middle of it begins again. */
    void prepare(Programs programs) {
        if (Files.exists(data())) {
            return;
        }
        Path unfinished = path.resolve("data-unfinished");
        try {
            FileSystemUtils.deleteRecursively(unfinished);
            Files.writeString(passwordFile(), UUID.randomUUID().toString());
            privileges.hand(passwordFile());
            programs.run(
                    "initdb",
                    "--pgdata=" + unfinished,
                    "--username=" + USER,
                    "--auth=scram-sha-256",
                    "--pwfile=" + passwordFile(),
                    "--encoding=UTF8",
                    "--no-locale");
            Files.write(unfinished.resolve("postgresql.conf"), SETTINGS, StandardOpenOption.APPEND);
            Files.move(unfinished, data());
        } catch (IOException e) {
            throw new EmbeddedPostgresException("its data cannot be created in %s: %s".formatted(path, e), e);
        }
    }

    private Path passwordFile() {
        return path.resolve("password");
    }
}
