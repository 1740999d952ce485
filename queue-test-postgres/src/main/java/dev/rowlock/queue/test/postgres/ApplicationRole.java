package dev.rowlock.queue.test.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The role that tests log in as: one like that of an application. It is no superuser, may create schemas in the databases of tests, and owns
 * only what it has created there. Its statements have limits, as careful operators set them. Each server has one such role. Thread-safe.
 */
final class ApplicationRole {

    private static final Logger LOG = LoggerFactory.getLogger(ApplicationRole.class);

    private static final Map<PostgresServer, ApplicationRole> ROLES = new HashMap<>();

    // More than any statement of a test takes, on a slow machine too.
    private static final Map<String, String> LIMITS = Map.of("statement_timeout", "1min", "lock_timeout", "20s");

    private static final Duration PATIENCE_AT_EXIT = Duration.ofSeconds(30);

    private final PostgresServer server;
    private final String name;
    private final String password;
    /** Guarded by this. */
    private final List<TestDatabase> forGood = new ArrayList<>();

    private ApplicationRole(PostgresServer server, String name, String password) {
        this.server = server;
        this.name = name;
        this.password = password;
    }

    /** Creates it at the first call for this server. */
    static ApplicationRole of(PostgresServer server) {
        synchronized (ROLES) {
            return ROLES.computeIfAbsent(server, ApplicationRole::create);
        }
    }

    private static ApplicationRole create(PostgresServer server) {
        // Several JVMs may share a given server.
        String random = UUID.randomUUID().toString().replace("-", "");
        ApplicationRole role = new ApplicationRole(server, "tester_" + random.substring(0, 12), random);
        role.execute(server.homeDatabase(), "create role %s login password '%s'".formatted(role.name, role.password));
        Map<String, String> settings = new TreeMap<>(LIMITS);
        settings.forEach((setting, value) -> role.execute(
                server.homeDatabase(), "alter role %s set %s = '%s'".formatted(role.name, setting, value)));
        if (server instanceof GivenServer) { // the others take it with them
            Runtime.getRuntime().addShutdownHook(new Thread(role::leave, "drop-role-of-tests"));
        }
        return role;
    }

    String name() {
        return name;
    }

    String password() {
        return password;
    }

    /** Lets it create schemas in a database, if a superuser says so. */
    String mayCreateIn(String database) {
        return "grant create on database %s to %s".formatted(database, name);
    }

    /** Lets it create tables of tests in {@code public}, where only owners may do so since PostgreSQL 15. */
    void enter(String database) {
        execute(database, "grant create on schema public to " + name);
    }

    /** Drops this database when the JVM ends: as long as it is there, the role cannot be dropped. */
    synchronized void keep(TestDatabase database) {
        forGood.add(database);
    }

    private void leave() {
        try {
            TestDatabase.OPEN.awaitNone(PATIENCE_AT_EXIT);
            synchronized (this) {
                forGood.forEach(TestDatabase::close);
            }
            execute(server.homeDatabase(), "drop role " + name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("role {} of these tests stays on the server: {}", name, e.getMessage());
        }
    }

    private void execute(String database, String sql) {
        try (Connection connection = server.unpooled(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot prepare role %s of the tests: %s".formatted(name, e.getMessage()), e);
        }
    }
}
