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
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportAware;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The beans of {@link EnableRowlock}. */
@Configuration(proxyBeanMethods = false)
@Import(ContextBeans.class)
final class RowlockConfiguration implements ImportAware {

    /** Its auto-configuration would step aside for these beans, and the properties with it. */
    private static final String OF_BOOT = "dev.rowlock.queue.autoconfigure.RowlockAutoConfiguration";

    private Map<String, @Nullable Object> attributes = Map.of(); // written by the context before any bean is made

    /** What the others are made of. */
    record Parts(RowlockBuilder builder, Supplier<PlatformTransactionManager> transactions) {}

    @Override
    public void setImportMetadata(AnnotationMetadata importing) {
        attributes = Objects.requireNonNull(importing.getAnnotationAttributes(EnableRowlock.class.getName()));
    }

    @Bean
    Parts rowlockParts(
            ListableBeanFactory beans,
            ContextBeans participants,
            ObjectProvider<DataSource> dataSources,
            ObjectProvider<PlatformTransactionManager> managers,
            ObjectProvider<PayloadCodec> codecs,
            ObjectProvider<PayloadConverter> converters) {
        if (beans.containsBeanDefinition(OF_BOOT)) {
            throw new IllegalStateException(
                    "@EnableRowlock is for applications without Spring Boot, whose starter does all that it does, and heeds properties: remove it");
        }
        String named = name("dataSource");
        DataSource dataSource = named == null ? dataSources.getObject() : beans.getBean(named, DataSource.class);
        Supplier<PlatformTransactionManager> transactions = transactions(beans, managers, dataSource);
        RowlockBuilder builder = Rowlock.builder(dataSource)
                .codec(codecs.getIfAvailable(
                        () -> new JacksonPayloadCodec(converters.orderedStream().toList())))
                .transactions(() -> new TransactionTemplate(transactions.get()));
        participants.addTo(builder);
        return new Parts(builder, transactions);
    }

    /** Asked once jobs run: what a manager is made of, such as entity listeners, may itself enqueue jobs. */
    private Supplier<PlatformTransactionManager> transactions(
            BeanFactory beans, ObjectProvider<PlatformTransactionManager> managers, DataSource dataSource) {
        String named = name("transactionManager");
        if (named == null) {
            PlatformTransactionManager ours = new JdbcTransactionManager(dataSource);
            return () -> managers.getIfAvailable(() -> ours);
        }
        if (!beans.containsBean(named)) {
            throw new NoSuchBeanDefinitionException(named, "@EnableRowlock names it as its transactionManager");
        }
        return () -> beans.getBean(named, PlatformTransactionManager.class);
    }

    private @Nullable String name(String attribute) {
        Object name = attributes.getOrDefault(attribute, "");
        return "".equals(name) ? null : String.valueOf(name);
    }

    @Bean
    JobListenerRegistry rowlockJobListenerRegistry() {
        return new JobListenerRegistry();
    }

    @Bean
    JobListenerScanner rowlockJobListenerScanner(JobListenerRegistry registry, Parts parts) {
        RowlockBuilder builder = parts.builder();
        ListenerDefaults defaults = new ListenerDefaults(builder.defaultQueue(), builder.retry(), Map.of());
        return new JobListenerScanner(registry, builder.codec(), defaults, parts.transactions()::get);
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
