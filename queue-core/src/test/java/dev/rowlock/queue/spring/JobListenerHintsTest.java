package dev.rowlock.queue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;

class JobListenerHintsTest {

    record Order(String number) {}

    record Receipt(String text) {}

    public static class Listener {
        @JobListener(onDead = "apologize")
        Receipt handle(Order order, JobContext context) {
            return new Receipt(order.number());
        }

        void apologize(Order order) {}
    }

    static class NoListener {
        void handle(Order order) {}
    }

    @Test
    void aNativeImageCanCallListenersAndReadTheirPayloads() throws NoSuchMethodException {
        RuntimeHints hints = new RuntimeHints();

        new JobListenerHints().register(hints, Listener.class);

        assertThat(reflection()
                        .onMethodInvocation(Listener.class.getDeclaredMethod("handle", Order.class, JobContext.class)))
                .accepts(hints);
        assertThat(reflection().onMethodInvocation(Listener.class.getDeclaredMethod("apologize", Order.class)))
                .accepts(hints);
        assertThat(reflection().onType(Order.class)).accepts(hints);
        assertThat(reflection().onType(Receipt.class)).accepts(hints);
        assertThat(reflection().onType(JobContext.class)).rejects(hints);
    }

    record Page(String url) {}

    static class ChunkListener {
        @JobListener(batch = "10")
        ChunkResult handle(List<ChunkJob<Page>> pages) {
            return ChunkResult.ALL_COMPLETED;
        }
    }

    @Test
    void aNativeImageCanReadThePayloadsOfChunks() {
        RuntimeHints hints = new RuntimeHints();

        new JobListenerHints().register(hints, ChunkListener.class);

        assertThat(reflection().onType(Page.class)).accepts(hints);
        assertThat(reflection().onType(JobContext.class)).rejects(hints);
    }

    @Test
    void onlyBeansWithListenersContribute() {
        assertThat(new JobListenerHints().processAheadOfTime(bean(Listener.class)))
                .isNotNull();
        assertThat(new JobListenerHints().processAheadOfTime(bean(NoListener.class)))
                .isNull();
    }

    @Test
    void springFindsTheProcessor() {
        assertThat(AotServices.factories().load(BeanRegistrationAotProcessor.class))
                .hasAtLeastOneElementOfType(JobListenerHints.class);
    }

    private static RegisteredBean bean(Class<?> type) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new RootBeanDefinition(type));
        return RegisteredBean.of(beans, "bean");
    }
}
