package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.autoconfigure.failure.RowlockFailureAnalyzer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;

/** Jobs that beans enqueue while the context is still being made. */
@PostgresTest
class EarlyEnqueueTest {

    private final ApplicationContextRunner contexts;

    EarlyEnqueueTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withPropertyValues("the-queue=mail", "rowlock.worker.enabled=false");
    }

    record Mail(int number) {}

    static final class Early {

        private final JobOperations jobs;
        private final long ofConstructor;
        private long ofPostConstruct;

        Early(JobOperations jobs) {
            this.jobs = jobs;
            this.ofConstructor = jobs.enqueue(new Mail(1));
        }

        @PostConstruct
        void begin() {
            ofPostConstruct = jobs.enqueue(new Mail(2));
        }
    }

    static class MailListener {
        @JobListener(queue = "${the-queue}")
        void on(Mail mail) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ListenerComesLater {

        @Bean
        Early early(JobOperations jobs) {
            return new Early(jobs);
        }

        @Bean
        @DependsOn("early")
        MailListener listener() {
            return new MailListener();
        }
    }

    @Test
    void jobsGoToTheQueueOfAListenerThatDoesNotExistYet() {
        contexts.withUserConfiguration(ListenerComesLater.class).run(context -> {
            Early early = context.getBean(Early.class);
            JobSearch search = context.getBean(JobSearch.class);

            for (long id : new long[] {early.ofConstructor, early.ofPostConstruct}) {
                assertThat(search.find(id))
                        .hasValueSatisfying(job -> assertThat(job.queue()).isEqualTo("mail"));
            }
        });
    }

    @Test
    void jobsWithoutAListenerGoToTheDefaultQueue() {
        contexts.withBean(Early.class)
                .run(context -> assertThat(
                                context.getBean(JobSearch.class).find(context.getBean(Early.class).ofConstructor))
                        .hasValueSatisfying(job -> assertThat(job.queue()).isEqualTo("default")));
    }

    @Configuration(proxyBeanMethods = false)
    static class ListenerIsHidden {

        @Bean
        Early early(JobOperations jobs) {
            return new Early(jobs);
        }

        @Bean
        @DependsOn("early")
        Object listener() {
            return new MailListener();
        }
    }

    @Test
    void theApplicationDoesNotStartIfTheListenerCannotBeKnownInTime() {
        contexts.withUserConfiguration(ListenerIsHidden.class).run(context -> {
            FailureAnalysis analysis = requireNonNull(
                    new RowlockFailureAnalyzer(null).analyze(requireNonNull(context.getStartupFailure())));

            assertThat(analysis.getDescription()).contains("'Mail'", "'default'", "'mail'");
            assertThat(analysis.getAction()).contains("@Bean method", "ApplicationRunner");
        });
    }
}
