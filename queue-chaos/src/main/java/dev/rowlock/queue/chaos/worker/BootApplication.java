package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.PayloadCodec;
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

/** What a node works with, put together by Rowlock's auto-configuration around an application's pool. */
@Configuration(proxyBeanMethods = false)
@Import(BootApplication.Rowlocks.class)
class BootApplication {

    private static final String PACKAGE = "dev.rowlock.queue.autoconfigure.";

    /** Whether the auto-configuration is there. */
    static boolean possible() {
        return ClassUtils.isPresent(PACKAGE + "RowlockWorkerAutoConfiguration", BootApplication.class.getClassLoader());
    }

    static ConfigurableApplicationContext start(DataSource pool, PayloadCodec codec, JobObserver observer) {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none"); // it is set up already
        SpringApplication application = new SpringApplication(BootApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(Map.of("rowlock.schema.mode", "none"));
        application.addInitializers((ApplicationContextInitializer<GenericApplicationContext>) context -> {
            context.registerBean(DataSource.class, () -> pool);
            context.registerBean(PayloadCodec.class, () -> codec);
            context.registerBean(JobObserver.class, () -> observer);
            context.registerBean(PlatformTransactionManager.class, () -> new DataSourceTransactionManager(pool));
        });
        return application.run();
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
