package dev.rowlock.sample.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** One process's share in the server of a data folder. */
final class SharedServer implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SharedServer.class);

    private static final String DATABASE = "postgres";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int CONNECT_MILLIS = 1_000;
    /** Held in shared mode by every process that uses the server. */
    private static final long MEMBERS = 0x526F776C6F636BL;

    /** What a server says that is starting, stopping or recovering, and what nobody says where none is listening. */
    private static final Set<String> NOT_NOW = Set.of("57P03", "08001", "08006");

    private final DataFolder folder;
    private final int port;
    /** Open as long as this process uses the server. */
    private final Connection membership;

    private SharedServer(DataFolder folder, int port, Connection membership) {
        this.folder = folder;
        this.port = port;
        this.membership = membership;
    }

    /** Uses the folder's server; starts it on this port if it does not run. */
    static SharedServer join(Path path, int port) {
        DataFolder folder = DataFolder.at(path);
        return folder.locked(() -> join(folder, port));
    }

    private static SharedServer join(DataFolder folder, int port) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            int actualPort = ensureRunning(folder, port);
            try {
                Connection membership = enter(folder, actualPort);
                LOG.info("Using PostgreSQL on port {}, data in {}", actualPort, folder.path());
                return new SharedServer(folder, actualPort, membership);
            } catch (SQLException e) {
                if (!NOT_NOW.contains(String.valueOf(e.getSQLState())) || System.nanoTime() > deadline) {
                    throw new EmbeddedPostgresException(
                            "the server on port %d refuses us: %s".formatted(actualPort, e.getMessage()), e);
                }
                // It is recovering from a kill, or was about to stop.
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /** The port of the folder's server, which is started on this one if it does not run. */
    private static int ensureRunning(DataFolder folder, int port) {
        Optional<Postmaster> running = Postmaster.of(folder.data());
        if (running.isPresent()) {
            return running.get().port();
        }
        start(folder, port);
        return port;
    }

    private static void start(DataFolder folder, int port) {
        requireFree(port);
        Programs programs = folder.programs();
        folder.prepare(programs);
        LOG.info("Starting PostgreSQL on port {}", port);
        programs.run(
                "pg_ctl",
                "start",
                "--wait",
                "--timeout=" + PATIENCE.toSeconds(),
                "--pgdata=" + folder.data(),
                "--log=" + folder.log(),
                "--options=-p " + port);
    }

    private static void requireFree(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
        } catch (IOException e) {
            return;
        }
        throw new EmbeddedPostgresException(
                "port %d is taken by another program: choose one with --sample.postgres.port".formatted(port));
    }

    private static Connection enter(DataFolder folder, int port) throws SQLException {
        Connection connection = DriverManager.getConnection(url(port), DataFolder.USER, folder.password());
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_lock_shared(%d)".formatted(MEMBERS));
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Leaves the server, and stops it if nobody else uses it. */
    @Override
    public void close() {
        folder.locked(() -> {
            if (leave()) {
                LOG.info("Stopping PostgreSQL");
                folder.programs().run("pg_ctl", "stop", "--mode=fast", "--wait", "--pgdata=" + folder.data());
            }
            return null;
        });
    }

    /** True if this was the last process. */
    private boolean leave() {
        try (membership;
                Statement statement = membership.createStatement()) {
            statement.execute("SELECT pg_advisory_unlock_shared(%d)".formatted(MEMBERS));
            try (ResultSet last = statement.executeQuery("SELECT pg_try_advisory_lock(%d)".formatted(MEMBERS))) {
                return last.next() && last.getBoolean(1);
            }
        } catch (SQLException e) {
            LOG.warn("Cannot tell whether others use PostgreSQL, so it stays as it is: {}", e.getMessage());
            return false;
        }
    }

    @Override
    public String getJdbcUrl() {
        return url(port);
    }

    @Override
    public String getUsername() {
        return DataFolder.USER;
    }

    @Override
    public String getPassword() {
        return folder.password();
    }

    private static String url(int port) {
        return "jdbc:postgresql://localhost:%d/%s".formatted(port, DATABASE);
    }
}
