package dev.rowlock.queue.chaos.worker;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.FetchSettings;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** One node as a process of its own, put together by hand or by Spring Boot. SIGTERM stops it in good order. */
public final class WorkerMain {

    private WorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        WorkerOptions options = WorkerOptions.parse(arguments);
        ActionLog log = new ActionLog(options.log(), options.name());
        HikariDataSource pool = Connections.pool(options);
        Together together = together(options, pool, log);
        WorkerNode node = new WorkerNode(settings(options), together.services());
        List<ListenerDefinition> listeners = new Handlers(pool, log).listeners(options.concurrency(), options.fresh());
        Watchdog watchdog = watchdog(listeners, options, log);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            watchdog.stop();
            log.note("stopping");
            node.stop();
            together.close().run();
            pool.close();
            log.note("stopped");
        }));
        node.start(listeners);
        log.note("started");
        watchdog.start();
        new CountDownLatch(1).await(); // until a signal ends the process
    }

    /** What a node works with, and how to give it back. */
    private record Together(NodeServices services, Runnable close) {}

    private static Together together(WorkerOptions options, HikariDataSource pool, ActionLog log) {
        JobObserver polite = new LoggingObserver(log);
        JobObserver observer = options.traits().contains(Trait.RUDE_OBSERVER) ? new RudeObserver(polite) : polite;
        PayloadCodec codec =
                new RudeCodec(new JacksonPayloadCodec(JsonMapper.builder().build()));
        if (options.traits().contains(Trait.SPRING_BOOT)) {
            ConfigurableApplicationContext context = BootApplication.start(pool, codec, observer);
            return new Together(context.getBean(NodeServices.class), context::close);
        }
        Notifier notifier = new Notifier(new SendWakeup(database(pool)));
        NodeServices services = new NodeServices(
                database(pool),
                Connections.direct(options),
                codec,
                Extensions.observedBy(List.of(observer)),
                new WakeupBus(notifier),
                new TransactionTemplate(new DataSourceTransactionManager(pool)));
        return new Together(services, notifier::close);
    }

    private static Watchdog watchdog(List<ListenerDefinition> listeners, WorkerOptions options, ActionLog log) {
        Map<String, Integer> threads = new TreeMap<>();
        listeners.forEach(listener -> threads.merge(
                listener.queue(),
                Optional.ofNullable(listener.concurrency()).orElse(options.concurrency()),
                Math::max));
        threads.forEach(log::serves);
        return new Watchdog(log, threads.keySet());
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
                new RetentionSettings(
                        options.traits().contains(Trait.SHORT_RETENTION) ? Duration.ofDays(1) : Trait.LONG_RETENTION,
                        null),
                Handlers.RETRY,
                1 << 20,
                true);
    }

    private static Database database(DataSource pool) {
        return new Database(pool, new Schema("rowlock"));
    }
}
