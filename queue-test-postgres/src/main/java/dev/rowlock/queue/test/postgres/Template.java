package dev.rowlock.queue.test.postgres;

import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;

/** A database with tables and nobody in it, of which others are copies. */
final class Template {

    // Where a server can choose: copying files as they are takes half the processor time of logging each page.
    private static final String COPY_FILES = " strategy file_copy";

    private final PostgresServer server;
    private final TestDatabase original;
    private final String how;

    private Template(PostgresServer server, TestDatabase original) {
        this.server = server;
        this.original = original;
        how = server.version() < 15 ? "" : COPY_FILES;
    }

    static Template on(PostgresServer server) {
        TestTables tables = only();
        TestDatabase database = TestDatabase.createForGoodOn(server);
        tables.make(database.unpooled());
        return new Template(server, database);
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
        return TestDatabase.copyOn(server, original, how);
    }
}
