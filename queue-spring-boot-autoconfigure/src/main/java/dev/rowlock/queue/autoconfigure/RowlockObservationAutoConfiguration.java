package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.observe.FewEnqueueTimers;
import dev.rowlock.queue.trace.DefaultEnqueueObservationConvention;
import dev.rowlock.queue.trace.DefaultProcessObservationConvention;
import dev.rowlock.queue.trace.EnqueueObservationConvention;
import dev.rowlock.queue.trace.JobTracingHandler;
import dev.rowlock.queue.trace.ObservationSettings;
import dev.rowlock.queue.trace.ObservedAttempts;
import dev.rowlock.queue.trace.ObservedEnqueues;
import dev.rowlock.queue.trace.ProcessObservationConvention;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Observations of enqueues and attempts, where the application has a registry for them. */
@AutoConfiguration(
        after = RowlockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass({ObservationRegistry.class, ObservedEnqueues.class})
@ConditionalOnBean({ObservationRegistry.class, Rowlock.class})
@ConditionalOnBooleanProperty(name = "management.observations.enable.rowlock", matchIfMissing = true)
public final class RowlockObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ObservationSettings rowlockObservationSettings(
            RowlockProperties properties,
            ObjectProvider<EnqueueObservationConvention> enqueue,
            ObjectProvider<ProcessObservationConvention> process) {
        return RowlockSettings.checked(
                "rowlock.observations",
                () -> new ObservationSettings(
                        RowlockSettings.lease(properties).nodeName(),
                        properties.observations().parentWithin(),
                        enqueue.getIfAvailable(DefaultEnqueueObservationConvention::new),
                        process.getIfAvailable(DefaultProcessObservationConvention::new)));
    }

    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.HIGHEST_PRECEDENCE) // what other interceptors do belongs to the span
    ObservedEnqueues rowlockObservedEnqueues(ObservationRegistry registry, ObservationSettings settings) {
        return new ObservedEnqueues(registry, settings);
    }

    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    ObservedAttempts rowlockObservedAttempts(ObservationRegistry registry, ObservationSettings settings) {
        return new ObservedAttempts(registry, settings);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Tracer.class, Propagator.class})
    @ConditionalOnBean({Tracer.class, Propagator.class})
    static class Tracing {

        /** Before Boot's handler of everything that is received, whose order is 1000. */
        @Bean
        @ConditionalOnMissingBean
        @Order(500)
        JobTracingHandler rowlockJobTracingHandler(Tracer tracer, Propagator propagator) {
            return new JobTracingHandler(tracer, propagator);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {

        /**
         * The timer of attempts is {@link dev.rowlock.queue.observe.JobMetrics}'. Another one of the same name with other tags would be refused by
         * Prometheus. A handler of meters of our own is no way: Boot's would back off.
         */
        @Bean
        MeterFilter rowlockOneProcessTimer() {
            return MeterFilter.deny(
                    id -> id.getName().startsWith("rowlock.job.process") && id.getTag("messaging.system") != null);
        }

        @Bean
        FewEnqueueTimers rowlockFewEnqueueTimers() {
            return new FewEnqueueTimers();
        }
    }
}
