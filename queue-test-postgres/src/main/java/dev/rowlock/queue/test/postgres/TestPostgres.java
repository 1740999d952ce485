package dev.rowlock.queue.test.postgres;

import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PostgreSQL server that all tests of this JVM share: started when the first of them asks, stopped when the JVM
 * ends. {@link Selection} says which one it is. Thread-safe.
 */
public final class TestPostgres {

    private static final Logger LOG = LoggerFactory.getLogger(TestPostgres.class);

    private static @Nullable Selection selection;
    private static @Nullable PostgresServer server;
    private static @Nullable Template tables;
    private static @Nullable String failure;

    private TestPostgres() {}

    /** Starts the server at the first call. If that fails, every later call fails at once. */
    public static synchronized PostgresServer server() {
        if (failure != null) {
            throw new IllegalStateException("no PostgreSQL for tests, as the first of them has found: " + failure);
        }
        if (server == null) {
            try {
                server = start(selection());
            } catch (RuntimeException e) {
                failure = e.getMessage();
                throw e;
            }
        }
        return server;
    }

    /** Creates an empty database on the shared server. The caller closes it, which drops it. */
    public static TestDatabase newDatabase() {
        return server().newDatabase();
    }

    /** Creates a database with the tables that {@link TestTables} makes. The caller closes it, which drops it. */
    static synchronized TestDatabase newMigratedDatabase() {
        PostgresServer server = server();
        if (tables == null) {
            tables = Template.on(server);
        }
        return tables.copy();
    }

    /** What the system properties and the machine lead to. Starts nothing. */
    static synchronized Selection selection() {
        if (selection == null) {
            selection = Selection.of(System::getProperty, ContainerServer::engineAnswers);
            TimeZone.setDefault(TimeZone.getTimeZone(DrawnServer.zone(TestSeed.random("zone"))));
        }
        return selection;
    }

    private static PostgresServer start(Selection selection) {
        PostgresServer server = switch (selection.kind()) {
            case CONTAINER -> ContainerServer.start(selection.target());
            case EMBEDDED -> EmbeddedServer.start();
            case URL -> new GivenServer(selection.target());
        };
        int version = server.version();
        selection.requireVersion(version);
        LOG.info(
                "Tests use PostgreSQL {}, {} at {}: {}; {}, the JVM is in {} ({})",
                version,
                selection.kind().words(),
                server.jdbcUrl(server.homeDatabase()),
                selection.reason(),
                selection.kind() == Selection.Kind.URL ? "as it is" : DrawnServer.ofThisJvm(),
                TimeZone.getDefault().getID(),
                TestSeed.option());
        return server;
    }
}
