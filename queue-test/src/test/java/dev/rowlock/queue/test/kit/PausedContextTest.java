package dev.rowlock.queue.test.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.AutoConfigureRowlock.Mode;
import dev.rowlock.queue.test.TestJobs;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;

/** Spring pauses the application context of a test class while another one runs, and starts it again. */
class PausedContextTest {

    @SpringBootTest(properties = "spring.application.name=one")
    @AutoConfigureRowlock(mode = Mode.BACKGROUND)
    @AutoConfigureEmbeddedPostgres
    @Import(Work.class)
    static class One {}

    @SpringBootTest(properties = "spring.application.name=other")
    @AutoConfigureRowlock
    @AutoConfigureEmbeddedPostgres
    @Import(Work.class)
    static class Other {}

    private ApplicationContext paused;

    @Test
    void jobsRunAgainAfterAPause() throws Exception {
        run(new One(), context -> {
            runsAJob(context, 1);
            paused = context;
        });

        run(new Other(), context -> {
            assertThat(paused.getBean(Rowlock.class).status())
                    .extracting(NodeStatus::state)
                    .isEqualTo(NodeStatus.State.STOPPED);
            context.getBean(JobOperations.class).enqueue(new Work.InTransaction(1, false));
            context.getBean(TestJobs.class).drain().requireSuccess();
        });

        run(new One(), context -> {
            assertThat(context).isSameAs(paused);
            runsAJob(context, 2);
        });
    }

    private static void runsAJob(ApplicationContext context, int number) {
        context.getBean(JobOperations.class).enqueue(new Work.InTransaction(number, false));

        context.getBean(TestJobs.class).awaitIdle();

        assertThat(context.getBean(Work.class).notes()).contains(number);
    }

    private static void run(Object test, Consumer<ApplicationContext> method) throws Exception {
        TestContextManager manager = new TestContextManager(test.getClass());
        manager.beforeTestClass();
        manager.prepareTestInstance(test);
        method.accept(manager.getTestContext().getApplicationContext());
        manager.afterTestClass();
    }
}
