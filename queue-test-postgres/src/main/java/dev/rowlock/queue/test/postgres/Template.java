package dev.rowlock.queue.test.postgres;

import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;

/** A database with tables and nobody in it, of which others are copies. */
final class Template {

    private final PostgresServer server;
    private final String name;

    private Template(PostgresServer server, String name) {
        this.server = server;
        this.name = name;
    }

    static Template on(PostgresServer server) {
        TestTables tables = only();
        TestDatabase database = TestDatabase.createForGoodOn(server);
        tables.make(database.unpooled());
        return new Template(server, database.name());
    }

    private static TestTables only() {
        List<TestTables> all =
                ServiceLoader.load(TestTables.class).stream().map(Provider::get).toList();
        if (all.size() != 1) {
            throw new IllegalStateException(
                    "@PostgresTest(migrated = true) needs one TestTables in META-INF/services, and there are %d: %s"
                            .formatted(all.size(), all));
        }
        return all.get(0);
    }

    TestDatabase copy() {
        return TestDatabase.copyOn(server, name);
    }
}
