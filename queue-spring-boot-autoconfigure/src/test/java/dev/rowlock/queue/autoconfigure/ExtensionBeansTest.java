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
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spring.RowlockBuilderCustomizer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.node.ObjectNode;

/** Beans of the application that apply to all listeners. */
@PostgresTest(freshPerTest = true, migrated = true)
class ExtensionBeansTest {

    record Pay(String card) {}

    record Refund(String card) {}

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

    @Configuration(proxyBeanMethods = false)
    static class Scoped extends Application {

        @Bean
        static CustomScopeConfigurer threadScope() {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("thread", new SimpleThreadScope());
            return scopes;
        }

        @Bean
        @Order(3)
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.INTERFACES)
        JobInterceptor scoped() {
            return noted("scoped");
        }

        @Bean(autowireCandidate = false)
        JobInterceptor noCandidate() {
            return noted("no candidate");
        }

        @Bean(defaultCandidate = false)
        JobInterceptor onlyWithAQualifier() {
            return noted("only with a qualifier");
        }

        @Bean(defaultCandidate = false)
        PlatformTransactionManager alsoOnlyWithAQualifier(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @JobListener(transactional = true)
        void refund(Refund refund) {
            story.add("refunds " + refund.card());
        }

        private JobInterceptor noted(String name) {
            return (job, next) -> {
                story.add(name);
                return next.proceed();
            };
        }
    }

    @Test
    void beansTakePartAsIfTheyWereInjected() {
        contexts.withUserConfiguration(Scoped.class).run(context -> {
            context.getBean(JobOperations.class).enqueue(new Pay("4111 1111 1111 1111"));

            Queue<String> story = context.getBean(Application.class).story;
            Awaitility.await().until(() -> story.stream().anyMatch(event -> event.startsWith("reported")));

            assertThat(story).hasSize(5).startsWith("outer", "inner", "scoped", "pays with 4111111111111111");
        });
    }

    @Test
    void aCodecThatListenersDoNotReadByStopsTheStart() {
        contexts.withUserConfiguration(Application.class)
                .withBean(
                        RowlockBuilderCustomizer.class,
                        () -> builder -> builder.codec(new JacksonPayloadCodec(List.of())))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidJobListenerException.class)
                        .hasMessageContaining("Define a bean of type PayloadCodec"));
    }
}
