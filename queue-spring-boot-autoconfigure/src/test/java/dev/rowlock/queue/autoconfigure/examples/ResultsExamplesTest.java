package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.autoconfigure.examples.ResultsExamplesTest.Listeners.Price;
import dev.rowlock.queue.autoconfigure.examples.ResultsExamplesTest.Listeners.Quote;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** The examples of docs/results.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class ResultsExamplesTest {

    private final ApplicationContextRunner contexts;

    ResultsExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    interface Catalogue {
        long cents(String product);
    }

    interface Converter {
        void convert(int page) throws InterruptedException;
    }

    record Convert(String file) {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Application {

        final CountDownLatch second = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        @Bean
        Shop shop(JobOperations jobs, JobResults results) {
            return new Shop(jobs, results);
        }

        @Bean
        Listeners listeners() {
            return new Listeners(String::length, page -> {
                if (page == 3) {
                    second.countDown();
                    goOn.await();
                }
            });
        }
    }

    static class Listeners {

        private final Catalogue catalogue;
        private final Converter converter;

        Listeners(Catalogue catalogue, Converter converter) {
            this.catalogue = catalogue;
            this.converter = converter;
        }

        @JobType("quote")
        record Quote(String product) {}

        record Price(long cents) {}

        @JobListener(keepResult = true)
        Price quote(Quote job) {
            return new Price(catalogue.cents(job.product()));
        }

        @JobListener
        void convert(Convert job, JobContext context) throws InterruptedException {
            for (int page = 1; page <= 3; page++) {
                converter.convert(page);
                context.progress(page * 100 / 3, page + " of 3 pages");
            }
        }
    }

    static class Shop {

        private final JobOperations jobs;
        private final JobResults results;
        final List<String> orders = new ArrayList<>();

        Shop(JobOperations jobs, JobResults results) {
            this.jobs = jobs;
            this.results = results;
        }

        Price ask(String product) throws InterruptedException {
            long id = jobs.enqueue(new Quote(product));
            return results.await(id, Duration.ofSeconds(10), Price.class);
        }

        CompletableFuture<Price> askLater(String product) {
            long id = jobs.enqueue(new Quote(product));
            return results.future(id, Duration.ofSeconds(10), Price.class);
        }

        @Transactional
        CompletableFuture<Price> order(String product) {
            orders.add(product);
            return results.future(jobs.enqueue(new Quote(product)), Duration.ofSeconds(10), Price.class);
        }

        String howFar(long id) {
            return results.handle(id)
                    .progress()
                    .map(progress -> progress.percent() + " %: " + progress.note())
                    .orElse("not running");
        }
    }

    @Test
    void aResultIsWaitedFor() {
        contexts.run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.ask("tea")).isEqualTo(new Price(3));
            assertThat(shop.askLater("cocoa").join()).isEqualTo(new Price(5));
            assertThat(shop.order("coffee").join()).isEqualTo(new Price(6));
        });
    }

    @Test
    void progressIsSeen() {
        contexts.run(context -> {
            Application application = context.getBean(Application.class);
            Shop shop = context.getBean(Shop.class);
            long id = context.getBean(JobOperations.class).enqueue(new Convert("a.pdf"));
            assertThat(application.second.await(20, TimeUnit.SECONDS)).isTrue();

            assertThat(shop.howFar(id)).isEqualTo("66 %: 2 of 3 pages");

            application.goOn.countDown();
            context.getBean(JobResults.class).await(id, Duration.ofSeconds(20));
            assertThat(shop.howFar(id)).isEqualTo("not running");
        });
    }
}
