package dev.rowlock.queue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Scans the listeners of an application made of a few beans, and calls them. */
final class Scan {

    private static final JobContext CONTEXT = (JobContext) Proxy.newProxyInstance(
            Scan.class.getClassLoader(), new Class<?>[] {JobContext.class}, (proxy, method, args) -> 42L);

    record Order(String number, int amount) {}

    @JobType(value = "ship-it", queue = "shipping")
    record Parcel(String number) {}

    record Envelope<T>(T content) {}

    static class OrderListener {
        @JobListener
        String handle(Order order) {
            return order.number() + "x" + order.amount();
        }
    }

    private Scan() {}

    static ListenerDefinition only(Class<?> bean) {
        return run(Map.of(), bean).get(0);
    }

    static List<ListenerDefinition> run(Map<String, Object> properties, Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = context(properties, beans)) {
            context.refresh();
            return listeners(context);
        }
    }

    static @Nullable Object call(ListenerDefinition listener, String payload) throws Throwable {
        JobHandler handler = listener.handler();
        return handler.handle(CONTEXT, payload);
    }

    static List<ListenerDefinition> listeners(AnnotationConfigApplicationContext context) {
        return context.getBean(JobListenerRegistry.class).definitions();
    }

    static void assertInvalid(Class<?> bean, String... words) {
        assertInvalid(context -> context.registerBean(bean), words);
    }

    static void assertInvalid(Consumer<AnnotationConfigApplicationContext> beans, String... words) {
        try (AnnotationConfigApplicationContext context = context(Map.of())) {
            beans.accept(context);

            assertThatThrownBy(context::refresh)
                    .asInstanceOf(type(InvalidJobListenerException.class))
                    .satisfies(e -> assertThat(e).hasMessageContainingAll(words))
                    .satisfies(e -> assertThat(e.problem()).isNotBlank())
                    .satisfies(e -> assertThat(e.remedy()).isNotBlank());
        }
    }

    static AnnotationConfigApplicationContext context(Map<String, Object> properties, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.registerBean(JobListenerRegistry.class);
        context.registerBean(
                PayloadCodec.class,
                () -> new JacksonPayloadCodec(JsonMapper.builder().build()));
        context.registerBean(
                JobListenerScanner.class,
                () -> new JobListenerScanner(
                        context.getBean(JobListenerRegistry.class),
                        context.getBean(PayloadCodec.class),
                        ListenerDefaults.of(RetryPolicy.DEFAULT),
                        context.getBeanProvider(PlatformTransactionManager.class)::getIfUnique));
        for (Class<?> bean : beans) {
            context.registerBean(bean);
        }
        return context;
    }
}
