package dev.rowlock.queue.test.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server as a child process, on the loopback interface, for user {@code postgres} without a password. It
 * can be stopped in the middle of things and started again, with the same port and data. Stops when closed, or when the
 * JVM ends. Thread-safe.
 */
public final class EmbeddedServer implements PostgresServer {

    private static final String SETTINGS_FILE = "rowlock.conf";
    private static final String PID_FILE = "postmaster.pid";
    /** Below the range from which systems pick ports for clients; see {@link #freePort}. */
    private static final int LOWEST_PORT = 20_000;

    private static final int HIGHEST_PORT = 32_000;

    /** As long as Spring Boot gives an application to shut down. */
    private static final Duration PATIENCE_AT_EXIT = Duration.ofSeconds(30);

    private static final Duration PATIENCE_FOR_PORT = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedServer.class);

    private final PostgresBinaries binaries;
    private final Path data;
    private final int port;
    private final Map<String, String> settings;
    private final DrawnServer drawn;
    private final Thread atExit = new Thread(this::closeAtExit, "stop-postgres");
    /** The folder to delete at the end; null if the data are someone else's. Written only by {@link #stopForGood}. */
    private @Nullable ServerFolder folder;

    private EmbeddedServer(
            PostgresBinaries binaries,
            @Nullable ServerFolder folder,
            Path data,
            int port,
            Map<String, String> settings,
            DrawnServer drawn) {
        this.binaries = binaries;
        this.folder = folder;
        this.data = data;
        this.port = port;
        this.settings = settings;
        this.drawn = drawn;
    }

    /** Starts a server on a free port, with a data folder that is deleted when it is closed. */
    public static EmbeddedServer start() {
        return start(Map.of());
    }

    /** The same with other settings, for example {@code fsync=on}: by default it is off. */
    public static EmbeddedServer start(Map<String, String> settings) {
        return start(PostgresBinaries.below(ServerFolder.PARENT), settings);
    }

    /** The same for a server that is not drawn with the seed of the JVM. */
    public static EmbeddedServer start(Map<String, String> settings, DrawnServer drawn) {
        return start(PostgresBinaries.below(ServerFolder.PARENT), settings, drawn);
    }

    /**
     * The same for a server that sees this disk, so that tablespaces can be on it. Its data folder is not. Close the server
     * before the disk.
     */
    public static EmbeddedServer start(Map<String, String> settings, SmallDisk disk) {
        return start(PostgresBinaries.below(ServerFolder.PARENT).inside(disk), settings);
    }

    /** The same for a server that goes by this clock. Close the server before the clock. */
    public static EmbeddedServer start(Map<String, String> settings, ServerClock clock) {
        return start(PostgresBinaries.below(ServerFolder.PARENT).by(clock), settings);
    }

    /** The same for a server that goes by this clock and sees this disk. */
    public static EmbeddedServer start(Map<String, String> settings, SmallDisk disk, ServerClock clock) {
        return start(PostgresBinaries.below(ServerFolder.PARENT).inside(disk).by(clock), settings);
    }

    private static EmbeddedServer start(PostgresBinaries binaries, Map<String, String> settings) {
        return start(binaries, settings, DrawnServer.ofThisJvm());
    }

    private static EmbeddedServer start(PostgresBinaries binaries, Map<String, String> settings, DrawnServer drawn) {
        Map<String, String> all = allSettings(drawn, settings);
        ServerFolder folder = folder(binaries, all);
        return start(new EmbeddedServer(binaries, folder, folder.data(), freePort(), all, drawn));
    }

    private static ServerFolder folder(PostgresBinaries binaries, Map<String, String> settings) {
        return ServerFolder.create(binaries, "on".equals(settings.get("fsync")));
    }

    /**
     * Starts a server on the data in a folder, which stays when the server is closed.
     *
     * @param data created and filled if it does not exist; its parent also gets a log file
     * @param port 0 for a free one
     * @param settings of {@code postgresql.conf}, on top of those that suit tests
     */
    public static EmbeddedServer start(Path data, int port, Map<String, String> settings) {
        PostgresBinaries binaries = PostgresBinaries.below(ServerFolder.PARENT);
        int actualPort = port == 0 ? freePort() : port;
        DrawnServer drawn = DrawnServer.ofThisJvm();
        return start(new EmbeddedServer(
                binaries, null, data.toAbsolutePath(), actualPort, allSettings(drawn, settings), drawn));
    }

    /**
     * Starts a standby that follows this server by streaming replication, under a name that {@code synchronous_standby_names} of this
     * one may say. It begins as a copy: this server is stopped for that, and started again.
     */
    public EmbeddedServer startStandby(String name) {
        return startStandby(name, port);
    }

    /** The same for one that reaches this server through another port. */
    public EmbeddedServer startStandby(String name, int through) {
        ServerFolder copy = folder(binaries, settings);
        stop();
        try {
            FileSystemUtils.copyRecursively(data, copy.data());
            Files.setPosixFilePermissions(copy.data(), PosixFilePermissions.fromString("rwx------"));
            Files.createFile(copy.data().resolve("standby.signal"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy " + data, e);
        } finally {
            startAgain();
        }
        Map<String, String> following = new TreeMap<>(settings);
        following.put(
                "primary_conninfo",
                "host=127.0.0.1 port=%d user=%s application_name=%s".formatted(through, username(), name));
        // One that waits for a standby of its own would hang when it is promoted.
        following.put("synchronous_standby_names", "");
        return start(new EmbeddedServer(binaries, copy, copy.data(), freePort(), following, drawn));
    }

    /** Makes a standby the primary; returns when it is. */
    public void promote() {
        try (Connection connection = unpooled(homeDatabase()).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_promote(true, 60)")) {
            if (!row.next() || !row.getBoolean(1)) {
                throw new IllegalStateException("the standby on %s did not become the primary".formatted(data));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the standby on %s cannot be promoted".formatted(data), e);
        }
    }

    private static EmbeddedServer start(EmbeddedServer server) {
        Runtime.getRuntime().addShutdownHook(server.atExit);
        try {
            server.startAgain();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static Map<String, String> allSettings(DrawnServer drawn, Map<String, String> changes) {
        Map<String, String> settings = new TreeMap<>(ServerSettings.with(
                drawn,
                Map.of(
                        "listen_addresses", "127.0.0.1",
                        "unix_socket_directories", "",
                        // Errors that tests provoke are not news. What keeps the server from starting is.
                        "log_min_messages", "fatal")));
        settings.putAll(changes);
        return settings;
    }

    /** Starts the server after it was stopped; returns when it accepts connections, crash recovery included. */
    public synchronized void startAgain() {
        try {
            if (!Files.exists(data.resolve("PG_VERSION"))) {
                createData();
            }
            Files.write(data.resolve(SETTINGS_FILE), ServerSettings.asLines(settings));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + data, e);
        }
        awaitPort();
        String log = log(data).toString();
        binaries.run(
                log(data), "pg_ctl", "-D", data.toString(), "-l", log, "-o", "-p " + port, "-w", "-t", "60", "start");
    }

    /** While this server was stopped, another that looked for a free port may have taken its own. */
    private void awaitPort() {
        Awaitility.await("port %d to be free again".formatted(port))
                .atMost(PATIENCE_FOR_PORT)
                .until(() -> isFree(port));
    }

    private void createData() throws IOException {
        Files.createDirectories(data.getParent());
        List<String> arguments =
                new ArrayList<>(List.of("-D", data.toString(), "-U", username(), "-A", "trust", "-E", "UTF8", "-N"));
        arguments.addAll(drawn.initdb(binaries.version()));
        binaries.run(log(data), "initdb", arguments.toArray(String[]::new));
        // A file of its own, so that a restart can replace it. ALTER SYSTEM still has the last word.
        Files.write(
                data.resolve("postgresql.conf"),
                List.of("include_if_exists '" + SETTINGS_FILE + "'"),
                StandardOpenOption.APPEND);
    }

    /** Stops the server in an orderly way: connections are cut, open transactions rolled back. */
    public synchronized void stop() {
        stop(binaries, data, "fast");
    }

    /** Stops the server as a crash would: nothing is tidied up, and the next start recovers from the log. */
    public synchronized void stopImmediately() {
        stop(binaries, data, "immediate");
    }

    static void stop(PostgresBinaries binaries, Path data, String mode) {
        binaries.run(log(data), "pg_ctl", "-D", data.toString(), "-m", mode, "-w", "-t", "60", "stop");
    }

    public boolean isRunning() {
        return isRunning(data);
    }

    static boolean isRunning(Path data) {
        // The file outlives a machine that went down, and the number may be another program's by now.
        return Files.exists(data.resolve(PID_FILE))
                && ProcessHandle.of(pid(data))
                        .flatMap(process -> process.info().command())
                        .filter(command -> command.contains("postgres"))
                        .isPresent();
    }

    /** The process id of the postmaster. Throws if the server was stopped. */
    public long pid() {
        return pid(data);
    }

    private static long pid(Path data) {
        try {
            return Long.parseLong(
                    Files.readAllLines(data.resolve(PID_FILE)).get(0).trim());
        } catch (IOException e) {
            throw new IllegalStateException("the server on %s is not running".formatted(data), e);
        }
    }

    public int port() {
        return port;
    }

    @Override
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
    }

    @Override
    public String username() {
        return "postgres";
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public String homeDatabase() {
        return "postgres";
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM is ending, and runs it already.
        }
        stopForGood();
    }

    private void closeAtExit() {
        try {
            Set<String> open = TestDatabase.OPEN.awaitNone(PATIENCE_AT_EXIT);
            if (!open.isEmpty()) {
                LOG.warn("Stopping PostgreSQL although nobody closed {} within {}", open, PATIENCE_AT_EXIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stopForGood();
    }

    private synchronized void stopForGood() {
        if (isRunning()) {
            stop();
        }
        if (folder != null) {
            folder.delete();
            folder = null;
        }
    }

    private static Path log(Path data) {
        return data.resolveSibling(data.getFileName() + ".log");
    }

    /**
     * Not one that the system picks ({@code new ServerSocket(0)}): that is from the range of clients' ports, and a
     * client that keeps trying to reach a stopped server there can end up connected to itself, on the server's port.
     */
    private static int freePort() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port from %d to %d".formatted(LOWEST_PORT, HIGHEST_PORT));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
