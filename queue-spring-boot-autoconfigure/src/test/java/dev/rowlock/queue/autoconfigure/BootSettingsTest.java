package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.spring.JobListenerContainer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How settings of Boot and of the application reach Rowlock. */
@Representative
@PostgresTest
class BootSettingsTest {

    private final ApplicationContextRunner contexts;
    private final TestDatabase database;

    BootSettingsTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database);
    }

    @Test
    void listenersStartAlsoUnderLazyInitialization() {
        contexts.withBean(Greeter.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("lazy"));

                    assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
                });
    }

    @Test
    void handlersRunOnPlatformThreadsByDefault() {
        contexts.withBean(Greeter.class).run(context -> {
            context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("platform"));

            Greeter.Call call = context.getBean(Greeter.class).nextCall();

            assertThat(call.thread().getThreadGroup().getName()).isNotEqualTo("VirtualThreads");
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void handlersRunOnVirtualThreadsWhereBootSaysSo() {
        contexts.withPropertyValues("spring.threads.virtual.enabled=true")
                .withBean(Greeter.class)
                .run(context -> {
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("virtual"));

                    Greeter.Call call = context.getBean(Greeter.class).nextCall();

                    assertThat(call.thread().getThreadGroup().getName()).isEqualTo("VirtualThreads");
                });
    }

    @Test
    void payloadsMayBeAsLargeAsConfigured() {
        contexts.withPropertyValues("rowlock.payload.max-size=1KB")
                .run(context -> assertThatThrownBy(() ->
                                context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("x".repeat(2_000))))
                        .hasMessageContaining("rowlock.payload.max-size"));
    }

    @Test
    void contextsThatArePausedStopTakingJobsAndGoOnWhenResumed() {
        contexts.withBean(Greeter.class).run(context -> {
            JobListenerContainer container = context.getBean(JobListenerContainer.class);

            context.getSourceApplicationContext().pause();
            assertThat(container.isRunning()).isFalse();
            assertThat(nodes()).isZero();

            context.getSourceApplicationContext().restart();
            assertThat(container.isRunning()).isTrue();
            context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("again"));
            assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
        });
    }

    @Test
    void aProcessThatRunsJobsIsKeptAliveUntilItStops() {
        contexts.withBean(Greeter.class).run(context -> {
            assertThat(keepsAlive()).isTrue();
            context.stop();
            await().until(() -> !keepsAlive());
            context.start();
            assertThat(keepsAlive()).isTrue();
        });
        await().until(() -> !keepsAlive());
    }

    @Test
    void aProcessThatRunsNoJobsIsNotKeptAlive() {
        contexts.run(context -> assertThat(keepsAlive()).isFalse());
        contexts.withBean(Greeter.class)
                .withPropertyValues("rowlock.worker.enabled=false")
                .run(context -> assertThat(keepsAlive()).isFalse());
        contexts.withBean(Greeter.class)
                .withPropertyValues("rowlock.worker.keep-alive=false")
                .run(context -> assertThat(keepsAlive()).isFalse());
    }

    private static boolean keepsAlive() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("rowlock-keep-alive") && !thread.isDaemon());
    }

    private long nodes() {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT count(*) FROM rowlock.node")
                .query(Long.class)
                .single();
    }
}
