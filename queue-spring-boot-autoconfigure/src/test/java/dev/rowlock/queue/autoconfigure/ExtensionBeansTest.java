package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import tools.jackson.databind.node.ObjectNode;

/** Beans of the application that apply to all listeners. */
@PostgresTest(freshPerTest = true, migrated = true)
class ExtensionBeansTest {

    record Pay(String card) {}

    private final ApplicationContextRunner contexts;

    ExtensionBeansTest(TestDatabase database) {
        this.contexts = Contexts.on(database);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final Queue<String> story = new ConcurrentLinkedQueue<>();

        @JobListener
        void pay(Pay payment) {
            story.add("pays with " + payment.card());
            throw new DoNotRetryException("refused: " + payment.card());
        }

        @Bean
        @Order(2)
        JobInterceptor inner() {
            return (job, next) -> {
                story.add("inner");
                return next.proceed();
            };
        }

        @Bean
        @Order(1)
        JobInterceptor outer() {
            return (job, next) -> {
                story.add("outer");
                return next.proceed();
            };
        }

        @Bean
        ErrorRedactor withoutCards() {
            return ErrorRedactor.replacing(Pattern.compile("[0-9]{16}"), "****");
        }

        @Bean
        PayloadConverter withoutBlanks() {
            return PayloadConverter.of(Pay.class, json -> {
                ((ObjectNode) json).put("card", json.get("card").asString().replace(" ", ""));
                return json;
            });
        }

        @Bean
        JobObserver reports() {
            return new JobObserver() {
                @Override
                public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                    story.add("reported " + outcome.thrown());
                }
            };
        }
    }

    @Test
    void interceptorsRedactorsConvertersAndObserversAreFoundAndOrdered() {
        contexts.withUserConfiguration(Application.class).run(context -> {
            long id = context.getBean(JobOperations.class).enqueue(new Pay("4111 1111 1111 1111"));

            Queue<String> story = context.getBean(Application.class).story;
            Awaitility.await().until(() -> story.size() == 4);

            assertThat(story)
                    .containsExactly(
                            "outer",
                            "inner",
                            "pays with 4111111111111111",
                            "reported " + DoNotRetryException.class.getName() + ": refused: 4111111111111111");
            assertThat(context.getBean(JobSearch.class).find(id)).hasValueSatisfying(job -> {
                assertThat(job.state()).isEqualTo(JobState.DEAD);
                assertThat(job.errors()).extracting(FailedAttempt::message).containsExactly("refused: ****");
            });
        });
    }
}
