package dev.rowlock.queue.chaos.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.worker.NodeServices;
import dev.rowlock.queue.internal.worker.NodeSettings;
import dev.rowlock.queue.internal.worker.WorkerNode;
import dev.rowlock.queue.spi.FetchSettings;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.postgresql.Driver;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** One node as a process of its own, put together by hand. SIGTERM stops it in good order. */
public final class WorkerMain {

    /** The application's connections. */
    static final int POOL = 6;

    private WorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        WorkerOptions options = WorkerOptions.parse(arguments);
        ActionLog log = new ActionLog(options.log(), options.name());
        HikariDataSource pool = pool(options);
        Notifier notifier = new Notifier(new SendWakeup(database(pool)));
        WorkerNode node = new WorkerNode(settings(options), services(pool, direct(options), notifier, log));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            log.note("stopping");
            node.stop();
            notifier.close();
            pool.close();
            log.note("stopped");
        }));
        node.start(new Handlers(pool, log).listeners(options.concurrency(), options.fresh()));
        log.note("started");
        new CountDownLatch(1).await(); // until a signal ends the process
    }

    private static NodeSettings settings(WorkerOptions options) {
        return new NodeSettings(
                new WorkerSettings(
                        options.concurrency(),
                        Map.of(),
                        new FetchSettings(Duration.ofMillis(250), Duration.ofMillis(250), 50),
                        options.drain(),
                        false),
                new LeaseSettings(options.name(), options.lease(), options.heartbeat(), 3),
                RetentionSettings.DEFAULT,
                Handlers.RETRY,
                1 << 20,
                true);
    }

    private static NodeServices services(DataSource pool, DataSource direct, Notifier notifier, ActionLog log) {
        return new NodeServices(
                database(pool),
                direct,
                new JacksonPayloadCodec(JsonMapper.builder().build()),
                List.of(new LoggingObserver(log)),
                new WakeupBus(notifier),
                new TransactionTemplate(new DataSourceTransactionManager(pool)));
    }

    private static Database database(DataSource pool) {
        return new Database(pool, new Schema("rowlock"));
    }

    private static HikariDataSource pool(WorkerOptions options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(options.poolUrl());
        config.setUsername("postgres");
        config.setPassword("");
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(5_000);
        // Said, not asked for: a pool whose first connection breaks while it asks never works again.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setInitializationFailTimeout(-1); // may start while the database is away
        // A handler's own statements are the application's to bound: without this, one whose peer has silently gone
        // waits for ever.
        config.addDataSourceProperty("socketTimeout", "15");
        config.addDataSourceProperty("ApplicationName", "pool-" + options.name());
        return new HikariDataSource(config);
    }

    /** With the settings that the auto-configuration gives to connections beside the pool. */
    private static DataSource direct(WorkerOptions options) {
        SimpleDriverDataSource direct = new SimpleDriverDataSource(new Driver(), options.directUrl(), "postgres", "");
        Properties properties = new Properties();
        properties.put("tcpKeepAlive", "true");
        properties.put("connectTimeout", "10");
        properties.put("loginTimeout", "10");
        properties.put("ApplicationName", "direct-" + options.name());
        direct.setConnectionProperties(properties);
        return direct;
    }
}
