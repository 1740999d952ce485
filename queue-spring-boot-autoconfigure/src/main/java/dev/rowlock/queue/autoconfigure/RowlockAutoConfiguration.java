package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.spring.JobListenerRegistry;
import dev.rowlock.queue.spring.JobListenerScanner;
import dev.rowlock.queue.spring.UnreachedListeners;
import java.util.Arrays;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Enqueues, operates and searches jobs, and finds the listeners. */
@AutoConfiguration(
        after = RowlockSchemaAutoConfiguration.class,
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnBooleanProperty(name = "rowlock.enabled", matchIfMissing = true)
public final class RowlockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    PayloadCodec rowlockPayloadCodec(ObjectProvider<JsonMapper> mappers, ListableBeanFactory beans) {
        JsonMapper mapper = mappers.getIfUnique();
        if (mapper == null) {
            requireNone(beans);
            mapper = JsonMapper.shared();
        }
        // Nothing that a document says may choose the class that it becomes.
        return new JacksonPayloadCodec(
                mapper.rebuild().deactivateDefaultTyping().build());
    }

    /** Another mapper than yesterday's would read yesterday's payloads wrongly, and say nothing. */
    private static void requireNone(ListableBeanFactory beans) {
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, JsonMapper.class);
        if (names.length > 0) {
            throw new SeveralJsonMappersException(Arrays.asList(names));
        }
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty(name = "rowlock.notify.enabled", matchIfMissing = true)
    Notifier rowlockNotifier(Database database) {
        return new Notifier(new SendWakeup(database));
    }

    @Bean
    @ConditionalOnMissingBean
    WakeupBus rowlockWakeups(ObjectProvider<Notifier> notifier) {
        Notifier available = notifier.getIfAvailable();
        return new WakeupBus(available != null ? available : Wakeups.NONE);
    }

    @Bean
    @ConditionalOnMissingBean
    JobListenerRegistry jobListenerRegistry() {
        return new JobListenerRegistry();
    }

    @Bean
    @ConditionalOnMissingBean
    static JobListenerScanner jobListenerScanner(
            JobListenerRegistry registry,
            PayloadCodec codec,
            RowlockProperties properties,
            ObjectProvider<Database> database,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            @RowlockTransactionManager ObjectProvider<PlatformTransactionManager> marked) {
        return new JobListenerScanner(
                registry,
                codec,
                RowlockSettings.retry(properties),
                () -> ListenerTransactions.chosen(database.getObject().dataSource(), transactionManagers, marked));
    }

    @Bean
    @ConditionalOnMissingBean
    static UnreachedListeners rowlockUnreachedListeners() {
        return new UnreachedListeners();
    }

    @Bean
    @ConditionalOnMissingBean(JobOperations.class)
    JobTemplate jobTemplate(
            Database database,
            PayloadCodec codec,
            RowlockProperties properties,
            JobListenerScanner listeners,
            WakeupBus wakeups) {
        return new JobTemplate(database, codec, properties.payload().maxSize().toBytes(), listeners::queueOf, wakeups);
    }

    @Bean
    @ConditionalOnMissingBean
    JobAdmin jobAdmin(Database database, WakeupBus wakeups) {
        return new JobAdmin(database, wakeups);
    }

    @Bean
    @ConditionalOnMissingBean
    JobSearch jobSearch(Database database) {
        return new JobSearch(database);
    }
}
