package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spring.JobListenerRegistry;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;

/** A node, put together by Rowlock's auto-configuration around an application's pool. */
@Configuration(proxyBeanMethods = false)
@Import(BootApplication.Rowlocks.class)
class BootApplication {

    private static final String PACKAGE = "dev.rowlock.queue.autoconfigure.";

    /** Whether the auto-configuration is there. */
    static boolean possible() {
        return ClassUtils.isPresent(PACKAGE + "RowlockWorkerAutoConfiguration", BootApplication.class.getClassLoader());
    }

    /** Runs jobs when it returns. */
    static ConfigurableApplicationContext start(
            WorkerOptions options,
            DataSource pool,
            PayloadCodec codec,
            JobObserver observer,
            List<ListenerDefinition> listeners) {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none"); // it is set up already
        SpringApplication application = new SpringApplication(BootApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(properties(options));
        application.addInitializers((ApplicationContextInitializer<GenericApplicationContext>) context -> {
            context.registerBean(DataSource.class, () -> pool);
            context.registerBean(PayloadCodec.class, () -> codec);
            context.registerBean(JobObserver.class, () -> observer);
            context.registerBean(PlatformTransactionManager.class, () -> new DataSourceTransactionManager(pool));
            context.registerBean(MoodyPolicy.class, MoodyPolicy::new);
            context.registerBean(JobListenerRegistry.class, () -> registry(listeners));
        });
        return application.run();
    }

    private static JobListenerRegistry registry(List<ListenerDefinition> listeners) {
        JobListenerRegistry registry = new JobListenerRegistry();
        listeners.forEach(registry::register);
        return registry;
    }

    private static Map<String, Object> properties(WorkerOptions options) {
        WorkerSettings worker = options.worker();
        LeaseSettings lease = options.leaseSettings();
        return Map.ofEntries(
                Map.entry("rowlock.schema.mode", "none"),
                Map.entry("rowlock.worker.concurrency", worker.concurrency()),
                Map.entry("rowlock.worker.poll-interval", worker.fetch().pollInterval()),
                Map.entry("rowlock.worker.prefetch-horizon", worker.fetch().prefetchHorizon()),
                Map.entry("rowlock.worker.max-prefetch", worker.fetch().maxPrefetch()),
                Map.entry("rowlock.worker.drain-timeout", worker.drainTimeout()),
                Map.entry("rowlock.worker.node-name", lease.nodeName()),
                Map.entry("rowlock.worker.lease", lease.lease()),
                Map.entry("rowlock.worker.heartbeat", lease.heartbeat()),
                Map.entry("rowlock.worker.max-crashes", lease.maxCrashes()),
                Map.entry("rowlock.retry.max-retries", Handlers.RETRY.maxRetries()),
                Map.entry("rowlock.retry.initial-interval", Handlers.RETRY.initialInterval()),
                Map.entry("rowlock.retry.multiplier", Handlers.RETRY.multiplier()),
                Map.entry("rowlock.retry.max-interval", Handlers.RETRY.maxInterval()),
                Map.entry("rowlock.retry.jitter", Handlers.RETRY.jitter()),
                Map.entry("rowlock.retention.done", options.retention().done()));
    }

    /** Not everybody's: a process is to be there again soon. */
    static final class Rowlocks implements DeferredImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return Stream.of("Schema", "", "Worker")
                    .map(part -> PACKAGE + "Rowlock" + part + "AutoConfiguration")
                    .toArray(String[]::new);
        }
    }
}
