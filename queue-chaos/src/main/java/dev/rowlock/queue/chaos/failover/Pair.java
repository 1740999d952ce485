package dev.rowlock.queue.chaos.failover;

import dev.rowlock.queue.chaos.history.Audit;
import dev.rowlock.queue.chaos.proxy.TcpProxy;
import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A primary, a standby that is a moment behind, and the network between them and their clients. */
final class Pair implements AutoCloseable {

    /** The standby hears of everything so much later. */
    static final Duration BEHIND = Duration.ofMillis(50);

    private static final String STANDBY = "standby";

    final EmbeddedServer first;
    final EmbeddedServer second;
    private final TcpProxy toFirst;
    private final TcpProxy toSecond;
    private final TcpProxy replication;

    /** @param synchronous whether a commit waits until the standby has it, too */
    Pair(boolean synchronous) {
        first = EmbeddedServer.start(Map.of("fsync", "on", "wal_sender_timeout", "0"));
        DataSource source = first.unpooled(first.homeDatabase());
        new SchemaMigrator(source, "rowlock", SchemaMode.MIGRATE).run();
        new Audit(source).install();
        sql(first).sql("CREATE ROLE app LOGIN SUPERUSER").update(); // it has no tables of its own
        replication = new TcpProxy(first.port());
        second = first.startStandby(STANDBY, replication.port());
        toFirst = new TcpProxy(first.port());
        toSecond = new TcpProxy(second.port());
        awaitStreaming();
        if (synchronous) {
            sql(first)
                    .sql("ALTER SYSTEM SET synchronous_standby_names = '%s'".formatted(STANDBY))
                    .update();
            sql(first).sql("SELECT pg_reload_conf()").query().singleValue();
        }
        replication.delay(BEHIND);
    }

    private void awaitStreaming() {
        long begun = System.nanoTime();
        while (sql(first)
                        .sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
                        .query(Long.class)
                        .single()
                == 0) {
            if (System.nanoTime() - begun > Duration.ofMinutes(1).toNanos()) {
                throw new IllegalStateException("the standby does not follow");
            }
            LockSupport.parkNanos(100_000_000);
        }
    }

    /** What applications are told: both servers, of which the driver takes the primary. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?targetServerType=primary&hostRecheckSeconds=2&connectTimeout=3"
                .formatted(toFirst.port(), toSecond.port());
    }

    JdbcClient sql(EmbeddedServer server) {
        return JdbcClient.create(server.unpooled(server.homeDatabase()));
    }

    /** What has not reached the standby yet never does. */
    void cutReplication() {
        replication.refuse();
        replication.reset();
    }

    /** As a machine that is gone. */
    void killFirst() {
        cutReplication();
        first.stopImmediately();
    }

    /** The first server goes on, but no client reaches it any more. */
    void cutOffFirst() {
        cutReplication();
        toFirst.refuse();
        toFirst.reset();
    }

    /** Clients reach the first server again. */
    void reachFirst() {
        toFirst.heal();
    }

    /** All connections to the second server break, and can be made anew. */
    void shakeSecond() {
        toSecond.reset();
    }

    @Override
    public void close() {
        toFirst.close();
        toSecond.close();
        replication.close();
        second.close();
        first.close();
    }
}
