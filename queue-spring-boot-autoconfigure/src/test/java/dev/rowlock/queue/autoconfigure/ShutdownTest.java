package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.spring.JobListenerContainer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
@PostgresTest(freshPerTest = true, migrated = true)
class ShutdownTest {

    private final ApplicationContextRunner contexts;
    private final JdbcClient jdbc;

    ShutdownTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withBean(SlowListener.class);
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    record Slow() {}

    static class SlowListener {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobListener
        void handle(Slow slow) throws InterruptedException {
            started.countDown();
            mayEnd.await();
        }
    }

    @Test
    void aShutdownWaitsForRunningJobsWithoutHoldingUpOthers() {
        contexts.run(context -> {
            SlowListener listener = context.getBean(SlowListener.class);
            JobListenerContainer container = context.getBean(JobListenerContainer.class);
            context.getBean(JobTemplate.class).enqueue(new Slow());
            assertThat(listener.started.await(30, TimeUnit.SECONDS)).isTrue();

            CountDownLatch stopped = new CountDownLatch(1);
            container.stop(stopped::countDown); // returns although the handler runs
            assertThat(stopped.getCount()).isEqualTo(1);
            listener.mayEnd.countDown();

            assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(container.isRunning()).isFalse();
            assertThat(rows("done")).isEqualTo(1);
        });
    }

    @Test
    void aJobThatDoesNotEndInTimeIsGivenBackAtNoCostInAttempts() {
        contexts.withPropertyValues("rowlock.worker.drain-timeout=50ms").run(context -> {
            SlowListener listener = context.getBean(SlowListener.class);
            context.getBean(JobTemplate.class).enqueue(new Slow());
            assertThat(listener.started.await(30, TimeUnit.SECONDS)).isTrue();

            context.close();

            assertThat(rows("ready WHERE attempt = 0")).isEqualTo(1);
            assertThat(rows("node")).isZero();
        });
    }

    @Test
    void aShutdownNamesTheJobsThatItWaitsForAndThoseThatItInterrupts(CapturedOutput output) {
        contexts.withPropertyValues("rowlock.worker.drain-timeout=50ms").run(context -> {
            SlowListener listener = context.getBean(SlowListener.class);
            long id = context.getBean(JobTemplate.class).enqueue(new Slow());
            assertThat(listener.started.await(30, TimeUnit.SECONDS)).isTrue();

            context.close();

            String job = "job %d (Slow) of queue 'default'".formatted(id);
            assertThat(output)
                    .containsPattern("INFO .*1 jobs are running and have 50ms to end: " + Pattern.quote(job))
                    .containsPattern("WARN .*have not ended within 50ms and are interrupted.*: " + Pattern.quote(job));
        });
    }

    private long rows(String room) {
        return jdbc.sql("SELECT count(*) FROM rowlock." + room)
                .query(Long.class)
                .single();
    }
}
