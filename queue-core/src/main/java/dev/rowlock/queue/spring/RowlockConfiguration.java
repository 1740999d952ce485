package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.workflow.Workflows;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportAware;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The beans of {@link EnableRowlock}. */
@Configuration(proxyBeanMethods = false)
final class RowlockConfiguration implements ImportAware {

    /** Its auto-configuration would step aside for these beans, and the properties with it. */
    private static final String OF_BOOT = "dev.rowlock.queue.autoconfigure.RowlockAutoConfiguration";

    private Map<String, @Nullable Object> attributes = Map.of(); // written by the context before any bean is made

    /** What the others are made of. */
    record Parts(
            RowlockBuilder builder,
            PayloadCodec codec,
            @Nullable PlatformTransactionManager transactions) {}

    @Override
    public void setImportMetadata(AnnotationMetadata importing) {
        attributes = Objects.requireNonNull(importing.getAnnotationAttributes(EnableRowlock.class.getName()));
    }

    @Bean
    Parts rowlockParts(ListableBeanFactory beans) {
        if (beans.containsBeanDefinition(OF_BOOT)) {
            throw new IllegalStateException(
                    "@EnableRowlock is for applications without Spring Boot, whose starter does all that it does, and heeds properties: remove it");
        }
        PayloadCodec codec = beans.getBeanProvider(PayloadCodec.class)
                .getIfAvailable(() -> new JacksonPayloadCodec(beans.getBeanProvider(PayloadConverter.class)
                        .orderedStream()
                        .toList()));
        RowlockBuilder builder =
                Rowlock.builder(bean(beans, "dataSource", DataSource.class)).codec(codec);
        boolean managed = beans.getBeanNamesForType(PlatformTransactionManager.class, true, false).length > 0;
        PlatformTransactionManager transactions =
                managed ? bean(beans, "transactionManager", PlatformTransactionManager.class) : null;
        if (transactions != null) {
            builder.transactions(new TransactionTemplate(transactions));
        }
        ContextBeans.addTo(builder, beans);
        return new Parts(builder, codec, transactions);
    }

    private <T> T bean(ListableBeanFactory beans, String attribute, Class<T> type) {
        Object name = attributes.getOrDefault(attribute, "");
        return "".equals(name) ? beans.getBean(type) : beans.getBean(String.valueOf(name), type);
    }

    @Bean
    JobListenerRegistry rowlockJobListenerRegistry() {
        return new JobListenerRegistry();
    }

    @Bean
    JobListenerScanner rowlockJobListenerScanner(JobListenerRegistry registry, Parts parts) {
        ListenerDefaults defaults = new ListenerDefaults(
                parts.builder().defaultQueue(), parts.builder().retry(), Map.of());
        return new JobListenerScanner(registry, parts.codec(), defaults, parts::transactions);
    }

    @Bean
    UnreachedListeners rowlockUnreachedListeners() {
        return new UnreachedListeners();
    }

    @Bean
    Rowlock rowlock(Parts parts, JobListenerScanner listeners) {
        return parts.builder()
                .listeners(listeners)
                .recurring(listeners::recurringJobs)
                .build();
    }

    @Bean
    JobListenerContainer rowlockJobListenerContainer(Rowlock rowlock) {
        return new JobListenerContainer(rowlock, listeners -> {});
    }

    @Bean
    JobTemplate rowlockJobTemplate(Rowlock rowlock) {
        return rowlock.jobs();
    }

    @Bean
    JobAdmin rowlockJobAdmin(Rowlock rowlock) {
        return rowlock.admin();
    }

    @Bean
    QueueLimits rowlockQueueLimits(Rowlock rowlock) {
        return rowlock.limits();
    }

    @Bean
    Workflows rowlockWorkflows(Rowlock rowlock) {
        return rowlock.workflows();
    }

    @Bean
    RecurringJobs rowlockRecurringJobs(Rowlock rowlock) {
        return rowlock.recurringJobs();
    }

    @Bean
    JobResults rowlockJobResults(Rowlock rowlock) {
        return rowlock.results();
    }

    @Bean
    JobSearch rowlockJobSearch(Rowlock rowlock) {
        return rowlock.search();
    }
}
