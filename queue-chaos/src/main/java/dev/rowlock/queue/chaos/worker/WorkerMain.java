package dev.rowlock.queue.chaos.worker;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/** One node as a process of its own, put together by hand or by Spring Boot. SIGTERM stops it in good order. */
public final class WorkerMain {

    private WorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        WorkerOptions options = WorkerOptions.parse(arguments);
        ActionLog log = new ActionLog(options.log(), options.name());
        HikariDataSource pool = Connections.pool(options);
        List<ListenerDefinition> listeners = new Handlers(pool, log).listeners(options.concurrency(), options.fresh());
        Node node = node(options, pool, log, listeners);
        Watchdog watchdog = watchdog(listeners, options, log);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            watchdog.stop();
            log.note("stopping");
            node.stop();
            pool.close();
            log.note("stopped");
        }));
        node.start();
        log.note("started");
        watchdog.start();
        new CountDownLatch(1).await(); // until a signal ends the process
    }

    private static Node node(
            WorkerOptions options, HikariDataSource pool, ActionLog log, List<ListenerDefinition> listeners) {
        JobObserver polite = new LoggingObserver(log);
        JobObserver observer = options.traits().contains(Trait.RUDE_OBSERVER) ? new RudeObserver(polite) : polite;
        PayloadCodec codec =
                new RudeCodec(new JacksonPayloadCodec(JsonMapper.builder().build()));
        if (options.traits().contains(Trait.SPRING_BOOT)) {
            return new BootNode(() -> BootApplication.start(options, pool, codec, observer, listeners));
        }
        RowlockBuilder builder = Rowlock.builder(pool)
                .schemaElsewhere()
                .unpooled(Connections.direct(options))
                .codec(codec)
                .observer(observer)
                .worker(options.worker())
                .lease(options.leaseSettings())
                .retention(options.retention())
                .retry(Handlers.RETRY)
                .policy(new MoodyPolicy());
        listeners.forEach(builder::listener);
        return new BuiltNode(builder.build());
    }

    /** What runs jobs. */
    private interface Node {

        void start();

        void stop();
    }

    private record BuiltNode(Rowlock rowlock) implements Node {

        @Override
        public void start() {
            rowlock.start();
        }

        @Override
        public void stop() {
            rowlock.close();
        }
    }

    private static final class BootNode implements Node {

        private final Supplier<ConfigurableApplicationContext> starter;
        private volatile @Nullable ConfigurableApplicationContext context; // written by the main thread

        BootNode(Supplier<ConfigurableApplicationContext> starter) {
            this.starter = starter;
        }

        @Override
        public void start() {
            context = starter.get();
        }

        @Override
        public void stop() {
            ConfigurableApplicationContext started = context;
            if (started != null) {
                started.getBean(Rowlock.class).stop();
                started.close();
            }
        }
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
}
