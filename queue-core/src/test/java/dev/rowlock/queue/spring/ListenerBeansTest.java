package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;
import static dev.rowlock.queue.spring.Scan.call;
import static dev.rowlock.queue.spring.Scan.context;
import static dev.rowlock.queue.spring.Scan.listeners;
import static dev.rowlock.queue.spring.Scan.only;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.spring.Scan.Order;
import dev.rowlock.queue.spring.Scan.OrderListener;
import dev.rowlock.queue.spring.elsewhere.InheritedListener;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.samples.rowlock.SampleListener;

/** Which beans are searched for listeners. */
class ListenerBeansTest {

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

    static class HiddenInherited extends InheritedListener.PackagePrivate {}

    static class ReachableInherited extends InheritedListener.Protected {}

    @Test
    void aPackagePrivateMethodInheritedFromAnotherPackageStopsTheStartBehindASubclassingProxy() {
        ProxyFactory proxy = new ProxyFactory(new HiddenInherited());
        proxy.setProxyTargetClass(true);

        assertInvalid(
                context -> context.registerBean("proxied", Object.class, () -> proxy.getProxy()),
                "package-private",
                "make it public or protected");
    }

    @Test
    void aPackagePrivateMethodInheritedFromAnotherPackageIsCalledWithoutAProxy() throws Throwable {
        try (AnnotationConfigApplicationContext context = context(Map.of(), HiddenInherited.class)) {
            context.refresh();

            assertThat(call(listeners(context).get(0), "{\"number\": 1}")).isEqualTo("done 1");
        }
    }

    @Test
    void aProtectedMethodInheritedFromAnotherPackageIsCalledThroughASubclassingProxy() throws Throwable {
        ProxyFactory proxy = new ProxyFactory(new ReachableInherited());
        proxy.setProxyTargetClass(true);

        try (AnnotationConfigApplicationContext context = context(Map.of())) {
            context.registerBean("proxied", Object.class, () -> proxy.getProxy());
            context.refresh();

            assertThat(call(listeners(context).get(0), "{\"number\": 1}")).isEqualTo("done 1");
        }
    }

    @Test
    void aBeanInAPackageNamedLikeOneOfSpringsIsFound() {
        assertThat(only(SampleListener.class).type()).isEqualTo("Visit");
    }

    @Test
    void aBeanThatIsNoSingletonStopsTheStart() {
        assertInvalid(
                context -> context.registerBean(
                        "many", OrderListener.class, definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE)),
                "'many'",
                "not a singleton");
    }

    private static final class CountingAdvice implements org.springframework.aop.MethodBeforeAdvice {
        private int calls;

        @Override
        public void before(java.lang.reflect.Method method, Object[] args, @Nullable Object target) {
            calls++;
        }
    }
}
