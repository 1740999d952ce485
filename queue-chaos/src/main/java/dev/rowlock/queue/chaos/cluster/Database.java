package dev.rowlock.queue.chaos.cluster;

import dev.rowlock.queue.chaos.history.Audit;
import dev.rowlock.queue.internal.schema.SchemaMigrator;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.spi.SchemaMode;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One PostgreSQL, safe against crashes, with Rowlock's tables and the audit. */
public final class Database implements AutoCloseable {

    private final EmbeddedServer server;

    public Database() {
        // fsync: the server is killed in the middle of things, and what it said is committed must be there.
        this.server = EmbeddedServer.start(Map.of("fsync", "on", "max_connections", "100"));
        new SchemaMigrator(dataSource("harness"), new Schema("rowlock"), SchemaMode.MIGRATE).run();
        audit().install();
    }

    public EmbeddedServer server() {
        return server;
    }

    public int port() {
        return server.port();
    }

    /** New connections past all proxies, under this name. */
    public PGSimpleDataSource dataSource(String applicationName) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(server.jdbcUrl(server.homeDatabase()));
        source.setUser(server.username());
        source.setApplicationName(applicationName);
        source.setConnectTimeout(5);
        source.setSocketTimeout(30);
        return source;
    }

    public JdbcClient sql() {
        return JdbcClient.create(dataSource("harness"));
    }

    public Audit audit() {
        return new Audit(dataSource("harness"));
    }

    @Override
    public void close() {
        server.close();
    }
}
