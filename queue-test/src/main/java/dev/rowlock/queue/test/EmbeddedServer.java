package dev.rowlock.queue.test;

import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.EmbeddedPostgresConfiguration.EmbeddedDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The PostgreSQL server of this JVM, with a database that has Rowlock's tables, of which others are copies. Thread-safe. */
final class EmbeddedServer {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedServer.class);

    static final String USER = "postgres";
    private static final String HOME = "postgres";
    private static final String TEMPLATE = "rowlock_template";

    /** Application contexts close while the JVM ends, on threads of their own. The server must be there until they have. */
    private static final Duration PATIENCE_AT_EXIT = Duration.ofSeconds(30);

    private static @Nullable EmbeddedServer shared;

    private final EmbeddedPostgres server;
    private final Set<String> open = new HashSet<>(); // guarded by this
    private int databases; // guarded by this

    private EmbeddedServer(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Started at the first call, and stopped when the JVM ends. */
    static synchronized EmbeddedServer shared() {
        EmbeddedServer known = shared;
        if (known == null) {
            known = start();
            shared = known;
        }
        return known;
    }

    private static EmbeddedServer start() {
        EmbeddedServer server = new EmbeddedServer(process());
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "rowlock-test-postgres"));
        server.execute("CREATE DATABASE " + TEMPLATE);
        new SchemaMigrator(server.server.getDatabase(USER, TEMPLATE), "rowlock", SchemaMode.MIGRATE).run();
        return server;
    }

    private static EmbeddedPostgres process() {
        try {
            return EmbeddedPostgres.builder()
                    .setRegisterShutdownHook(false)
                    .setServerConfig("fsync", "off")
                    .setServerConfig("synchronous_commit", "off")
                    .setServerConfig("full_page_writes", "off")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded PostgreSQL does not start", e);
        }
    }

    synchronized EmbeddedDatabase newDatabase() {
        databases++;
        String name = "rowlock_test_" + databases;
        execute("CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE);
        open.add(name);
        return new EmbeddedDatabase(this, name);
    }

    synchronized void drop(String name) {
        if (open.remove(name)) {
            execute("DROP DATABASE " + name + " WITH (FORCE)");
            notifyAll();
        }
    }

    String url(String database) {
        return "jdbc:postgresql://localhost:%d/%s".formatted(server.getPort(), database);
    }

    private void execute(String sql) {
        try (Connection connection = server.getDatabase(USER, HOME).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("%s failed".formatted(sql), e);
        }
    }

    private void stop() {
        try {
            awaitClosed();
            server.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.warn("stopping the embedded PostgreSQL failed", e);
        }
    }

    private synchronized void awaitClosed() throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_AT_EXIT.toNanos();
        for (long left = PATIENCE_AT_EXIT.toMillis();
                !open.isEmpty() && left > 0;
                left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }
}
