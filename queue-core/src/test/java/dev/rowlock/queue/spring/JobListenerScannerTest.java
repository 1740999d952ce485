package dev.rowlock.queue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.Async;
import tools.jackson.databind.json.JsonMapper;

class JobListenerScannerTest {

    private static final JobContext CONTEXT = (JobContext) Proxy.newProxyInstance(
            JobListenerScannerTest.class.getClassLoader(),
            new Class<?>[] {JobContext.class},
            (proxy, method, args) -> 42L);

    record Order(String number, int amount) {}

    @JobType(value = "ship-it", queue = "shipping")
    record Parcel(String number) {}

    record Envelope<T>(T content) {}

    // What a listener may look like

    static class OrderListener {
        @JobListener
        String handle(Order order) {
            return order.number() + "x" + order.amount();
        }
    }

    @Test
    void aListenerGetsThePayloadAndItsResultIsReturned() throws Throwable {
        ListenerDefinition listener = only(OrderListener.class);

        assertThat(listener.name()).isEqualTo("OrderListener.handle(Order)");
        assertThat(listener.type()).isEqualTo("Order");
        assertThat(listener.queue()).isEqualTo("default");
        assertThat(listener.concurrency()).isNull();
        assertThat(listener.timeout()).isNull();
        assertThat(listener.retry()).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(listener.transactional()).isFalse();
        assertThat(call(listener, "{\"number\": \"A\", \"amount\": 3}")).isEqualTo("Ax3");
    }

    static class ContextListener {
        @JobListener
        String handle(JobContext context, Parcel parcel) {
            return parcel.number() + context.id();
        }
    }

    @Test
    void aListenerMayAskForTheContextInAnyOrder() throws Throwable {
        ListenerDefinition listener = only(ContextListener.class);

        assertThat(call(listener, "{\"number\": \"P\"}")).isEqualTo("P42");
    }

    @Test
    void typeAndQueueComeFromThePayloadsAnnotation() {
        ListenerDefinition listener = only(ContextListener.class);

        assertThat(listener.type()).isEqualTo("ship-it");
        assertThat(listener.queue()).isEqualTo("shipping");
    }

    static class ConfiguredListener {
        @JobListener(
                queue = "${shop.queue}",
                concurrency = "#{2 * 4}",
                timeout = "${shop.timeout:PT1H}",
                maxRetries = "3",
                initialInterval = "250ms",
                multiplier = "${shop.multiplier}",
                maxInterval = "2m",
                noRetryFor = {IOException.class},
                transactional = true)
        void handle(Parcel parcel) {}
    }

    @Test
    void attributesMayHoldPlaceholdersAndExpressions() {
        ListenerDefinition listener = run(
                        Map.of("shop.queue", "fast", "shop.multiplier", "1.5"), ConfiguredListener.class)
                .get(0);

        assertThat(listener.queue()).isEqualTo("fast");
        assertThat(listener.concurrency()).isEqualTo(8);
        assertThat(listener.timeout()).isEqualTo(Duration.ofHours(1));
        assertThat(listener.retry())
                .isEqualTo(new RetryPolicy(3, Duration.ofMillis(250), 1.5, Duration.ofMinutes(2), 0.2));
        assertThat(listener.noRetryFor()).containsExactly(IOException.class);
        assertThat(listener.transactional()).isTrue();
    }

    abstract static class EnvelopeListener<T> {
        @Nullable
        T last;

        @JobListener
        public void handle(Envelope<T> envelope) {
            last = envelope.content();
        }
    }

    static class OrderEnvelopeListener extends EnvelopeListener<Order> {}

    @Test
    void thePayloadsTypeArgumentsAreResolvedAgainstTheBean() throws Throwable {
        try (AnnotationConfigApplicationContext context = context(Map.of(), OrderEnvelopeListener.class)) {
            context.refresh();
            ListenerDefinition listener = listeners(context).get(0);

            assertThat(call(listener, "{\"content\": {\"number\": \"A\", \"amount\": 1}}"))
                    .isNull();

            assertThat(context.getBean(OrderEnvelopeListener.class).last).isEqualTo(new Order("A", 1));
        }
    }

    static class FailingListener {
        @JobListener
        void handle(Order order) throws IOException {
            throw new IOException("no paper");
        }
    }

    @Test
    void whatTheListenerThrowsComesOutAsItIs() {
        ListenerDefinition listener = only(FailingListener.class);

        assertThatThrownBy(() -> call(listener, "{\"number\": \"A\", \"amount\": 1}"))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("no paper");
    }

    @Test
    void aPayloadThatCannotBeReadFailsTheAttempt() {
        ListenerDefinition listener = only(OrderListener.class);

        assertThatThrownBy(() -> call(listener, "[1]")).isInstanceOf(PayloadException.class);
    }

    // Which beans are looked at

    @Test
    void aLazyBeanIsFoundAlthoughNobodyAsksForIt() throws Throwable {
        try (AnnotationConfigApplicationContext context = context(Map.of())) {
            context.registerBean(OrderListener.class, definition -> definition.setLazyInit(true));
            context.refresh();

            assertThat(call(listeners(context).get(0), "{\"number\": \"L\", \"amount\": 1}"))
                    .isEqualTo("Lx1");
        }
    }

    @Test
    void aBeanBehindAProxyOfItsClassIsCalledThroughTheProxy() throws Throwable {
        CountingAdvice advice = new CountingAdvice();
        ProxyFactory proxy = new ProxyFactory(new OrderListener());
        proxy.setProxyTargetClass(true);
        proxy.addAdvice(advice);

        try (AnnotationConfigApplicationContext context = context(Map.of())) {
            context.registerBean("proxied", Object.class, () -> proxy.getProxy());
            context.refresh();

            assertThat(call(listeners(context).get(0), "{\"number\": \"A\", \"amount\": 3}"))
                    .isEqualTo("Ax3");
            assertThat(advice.calls).isEqualTo(1);
        }
    }

    interface Handles {
        String handle(Order order);
    }

    static class InterfacedListener implements Handles {
        @Override
        @JobListener
        public String handle(Order order) {
            return order.number();
        }
    }

    @Test
    void aBeanBehindAProxyOfItsInterfacesIsCalledThroughTheProxy() throws Throwable {
        CountingAdvice advice = new CountingAdvice();
        ProxyFactory proxy = new ProxyFactory(new InterfacedListener());
        proxy.addAdvice(advice);

        try (AnnotationConfigApplicationContext context = context(Map.of())) {
            context.registerBean("proxied", Handles.class, () -> (Handles) proxy.getProxy());
            context.refresh();

            assertThat(call(listeners(context).get(0), "{\"number\": \"A\", \"amount\": 3}"))
                    .isEqualTo("A");
            assertThat(advice.calls).isEqualTo(1);
        }
    }

    static class HiddenListener implements Runnable {
        @Override
        public void run() {}

        @JobListener
        public void handle(Order order) {}
    }

    @Test
    void aMethodThatTheProxysInterfacesDoNotDeclareStopsTheStart() {
        ProxyFactory proxy = new ProxyFactory(new HiddenListener());

        assertInvalid(
                context -> context.registerBean("hidden", Runnable.class, () -> (Runnable) proxy.getProxy()),
                "HiddenListener.handle(Order)",
                "'hidden'",
                "proxyTargetClass");
    }

    static class FinalListener {
        @JobListener
        public final void handle(Order order) {}
    }

    @Test
    void aFinalMethodOfASubclassingProxyStopsTheStart() {
        ProxyFactory proxy = new ProxyFactory(new FinalListener());
        proxy.setProxyTargetClass(true);

        assertInvalid(context -> context.registerBean("finished", Object.class, () -> proxy.getProxy()), "final");
    }

    @Test
    void aBeanThatIsNoSingletonStopsTheStart() {
        assertInvalid(
                context -> context.registerBean(
                        "many", OrderListener.class, definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE)),
                "'many'",
                "not a singleton");
    }

    // What cannot work

    static class TwinListener {
        @JobListener
        void one(Order order) {}

        @JobListener(queue = "other")
        void two(Order order) {}
    }

    @Test
    void twoListenersForOneTypeStopTheStart() {
        assertThatThrownBy(() -> only(TwinListener.class))
                .isInstanceOf(DuplicateJobListenerException.class)
                .hasMessageContaining("'Order'")
                .hasMessageContaining("TwinListener.one(Order)")
                .hasMessageContaining("TwinListener.two(Order)")
                .hasMessageContaining("@JobType");
    }

    interface Message {}

    abstract static class Base {}

    @SuppressWarnings("ClassCanBeStatic") // that is the point
    class Inner {}

    static class BadListeners {
        static class NoParameter {
            @JobListener
            void handle() {}
        }

        static class OnlyContext {
            @JobListener
            void handle(JobContext context) {}
        }

        static class TwoPayloads {
            @JobListener
            void handle(Order order, Parcel parcel) {}
        }

        static class TwoContexts {
            @JobListener
            void handle(Order order, JobContext one, JobContext two) {}
        }

        static class StaticMethod {
            @JobListener
            static void handle(Order order) {}
        }

        static class PrivateMethod {
            @JobListener
            @SuppressWarnings("UnusedMethod") // by Java
            private void handle(Order order) {}
        }

        static class AnyObject {
            @JobListener
            void handle(Object payload) {}
        }

        static class PlainText {
            @JobListener
            void handle(String payload) {}
        }

        static class Primitive {
            @JobListener
            void handle(long payload) {}
        }

        static class Several {
            @JobListener
            void handle(Order[] payload) {}
        }

        static class ListOf {
            @JobListener
            void handle(List<Order> payload) {}
        }

        static class Interface {
            @JobListener
            void handle(Message payload) {}
        }

        static class AbstractClass {
            @JobListener
            void handle(Base payload) {}
        }

        static class InnerClass {
            @JobListener
            void handle(Inner payload) {}
        }

        static class Variable {
            @JobListener
            <T> void handle(T payload) {}
        }

        static class VariableArgument {
            @JobListener
            <T> void handle(Envelope<T> payload) {}
        }

        static class ReturnsFuture {
            @JobListener
            CompletableFuture<String> handle(Order order) {
                return new CompletableFuture<>();
            }
        }

        static class Asynchronous {
            @Async
            @JobListener
            void handle(Order order) {}
        }

        static class BadTimeout {
            @JobListener(timeout = "soon")
            void handle(Order order) {}
        }

        static class BadNumber {
            @JobListener(concurrency = "many")
            void handle(Order order) {}
        }

        static class OutOfRange {
            @JobListener(concurrency = "0")
            void handle(Order order) {}
        }

        static class BadQueue {
            @JobListener(queue = "not a queue")
            void handle(Order order) {}
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BadListeners.NoParameter.class,
                BadListeners.OnlyContext.class,
                BadListeners.TwoPayloads.class,
                BadListeners.TwoContexts.class,
                BadListeners.StaticMethod.class,
                BadListeners.PrivateMethod.class,
                BadListeners.AnyObject.class,
                BadListeners.PlainText.class,
                BadListeners.Primitive.class,
                BadListeners.Several.class,
                BadListeners.ListOf.class,
                BadListeners.Interface.class,
                BadListeners.AbstractClass.class,
                BadListeners.InnerClass.class,
                BadListeners.Variable.class,
                BadListeners.VariableArgument.class,
                BadListeners.ReturnsFuture.class,
                BadListeners.Asynchronous.class,
                BadListeners.BadTimeout.class,
                BadListeners.BadNumber.class,
                BadListeners.OutOfRange.class,
                BadListeners.BadQueue.class
            })
    void aListenerThatCannotWorkStopsTheStartAndIsNamed(Class<?> bean) {
        assertInvalid(bean, bean.getSimpleName() + ".handle(", "of bean '");
    }

    // How it is done

    private static ListenerDefinition only(Class<?> bean) {
        return run(Map.of(), bean).get(0);
    }

    private static List<ListenerDefinition> run(Map<String, Object> properties, Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = context(properties, beans)) {
            context.refresh();
            return listeners(context);
        }
    }

    private static @Nullable Object call(ListenerDefinition listener, String payload) throws Throwable {
        JobHandler handler = listener.handler();
        return handler.handle(CONTEXT, payload);
    }

    private static List<ListenerDefinition> listeners(AnnotationConfigApplicationContext context) {
        return context.getBean(JobListenerRegistry.class).definitions();
    }

    private static void assertInvalid(Class<?> bean, String... words) {
        assertInvalid(context -> context.registerBean(bean), words);
    }

    private static void assertInvalid(Consumer<AnnotationConfigApplicationContext> beans, String... words) {
        try (AnnotationConfigApplicationContext context = context(Map.of())) {
            beans.accept(context);

            assertThatThrownBy(context::refresh)
                    .asInstanceOf(type(InvalidJobListenerException.class))
                    .satisfies(e -> assertThat(e).hasMessageContainingAll(words))
                    .satisfies(e -> assertThat(e.problem()).isNotBlank())
                    .satisfies(e -> assertThat(e.remedy()).isNotBlank());
        }
    }

    private static AnnotationConfigApplicationContext context(Map<String, Object> properties, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.registerBean(JobListenerRegistry.class);
        context.registerBean(
                PayloadCodec.class,
                () -> new JacksonPayloadCodec(JsonMapper.builder().build()));
        context.registerBean(RetryPolicy.class, () -> RetryPolicy.DEFAULT);
        context.registerBean(JobListenerScanner.class);
        for (Class<?> bean : beans) {
            context.registerBean(bean);
        }
        return context;
    }

    private static final class CountingAdvice implements org.springframework.aop.MethodBeforeAdvice {
        private int calls;

        @Override
        public void before(java.lang.reflect.Method method, Object[] args, @Nullable Object target) {
            calls++;
        }
    }
}
