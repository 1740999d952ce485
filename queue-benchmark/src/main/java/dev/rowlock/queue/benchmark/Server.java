package dev.rowlock.queue.benchmark;

import dev.rowlock.queue.benchmark.measure.ProcessCpu;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.test.postgres.DrawnServer;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.PostgresServer;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestPostgres;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The server that all peers are measured on. Every run gets a database of its own. */
public final class Server implements AutoCloseable {

    /** As an installation that can be trusted with data, on a machine with some memory. All else is PostgreSQL's default. */
    private static final Map<String, String> SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "shared_buffers", "1GB",
            "max_wal_size", "8GB",
            "max_connections", "400");

    /** What a report says about a server. */
    private static final List<String> REPORTED = List.of(
            "server_version",
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "shared_buffers",
            "max_wal_size",
            "autovacuum",
            "jit");

    private final PostgresServer server;
    private final Optional<ProcessCpu> cpu;

    private Server(PostgresServer server) {
        this.server = server;
        this.cpu = postmaster(home());
    }

    /**
     * Starts a server, or takes a given one.
     *
     * @param url of a server whose user may create databases; null for an embedded one
     */
    public static Server start(@Nullable String url) {
        if (url == null) {
            return new Server(EmbeddedServer.start(SETTINGS, DrawnServer.PLAIN));
        }
        System.setProperty("rowlock.test.postgres", url);
        return ofTests();
    }

    /** The server of this JVM's tests. */
    static Server ofTests() {
        return new Server(TestPostgres.server());
    }

    /** An empty database. The caller closes it, which drops it. */
    public TestDatabase newDatabase() {
        return server.newDatabase();
    }

    public static Target target(TestDatabase database) {
        return new Target(database.jdbcUrl(), database.username(), database.password());
    }

    /** Processor time of the server so far; zero if it runs on another machine. */
    public Duration cpu() {
        return cpu.map(ProcessCpu::withDescendants).orElse(Duration.ZERO);
    }

    /** Writes everything out, so that a run does not pay for what was written before it. */
    public void checkpoint() {
        Sql.execute(home(), "CHECKPOINT");
    }

    /** How many transactions a database has seen, this look at it not among them. */
    public long transactions(Target target) {
        String database = target.jdbcUrl().replaceFirst("\\?.*", "").replaceFirst(".*/", "");
        return Sql.number(
                home(), "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '" + database + "'");
    }

    /** Version and settings. */
    public Map<String, String> settings() {
        return Sql.with(home(), connection -> {
            Map<String, String> settings = new TreeMap<>();
            try (Statement statement = connection.createStatement()) {
                for (String name : REPORTED) {
                    try (ResultSet row = statement.executeQuery("SELECT current_setting('" + name + "')")) {
                        row.next();
                        settings.put(name, row.getString(1));
                    }
                }
            }
            return settings;
        });
    }

    private DataSource home() {
        return server.unpooled(server.homeDatabase());
    }

    /** A backend's parent, if that process is on this machine. */
    private static Optional<ProcessCpu> postmaster(DataSource home) {
        return Sql.with(home, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                long backend = row.getLong(1);
                boolean ours = ProcessHandle.of(backend)
                        .flatMap(process -> process.info().command())
                        .filter(command -> command.contains("postgres"))
                        .isPresent();
                return ours ? new ProcessCpu(backend).parent().map(ProcessCpu::new) : Optional.empty();
            }
        });
    }

    @Override
    public void close() {
        server.close();
    }
}
