package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.search.LogLine;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/** The examples of docs/long-jobs.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class LongJobsExamplesTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final ApplicationContextRunner contexts;

    LongJobsExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database)
                .withPropertyValues("rowlock.retry.initial-interval=10ms")
                .withUserConfiguration(Application.class);
    }

    record ChargeAll(int customers) {}

    record Reindex(int pages) {}

    record Convert(String file) {}

    interface Converter {
        void convert(int page);
    }

    interface Lines {
        long lines(String file);

        String line(String file, long line);
    }

    interface Target {
        void write(String line);
    }

    interface Accounts {
        void charge(int customer);
    }

    interface Index {
        void update(int page);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final Queue<String> story = new ConcurrentLinkedQueue<>();

        @Bean
        Listeners listeners(DataSource dataSource, PlatformTransactionManager transactions) {
            return new Listeners(story, JdbcClient.create(dataSource), new TransactionTemplate(transactions));
        }
    }

    static class Listeners {

        private final Lines files = new Lines() {
            @Override
            public long lines(String file) {
                return 4;
            }

            @Override
            public String line(String file, long line) {
                return file + " " + line;
            }
        };
        private final AtomicBoolean failed = new AtomicBoolean();
        private final Converter converter = page -> {};
        private final Target target;
        private final Accounts accounts;
        private final Index index;
        private final TransactionOperations transaction;

        Listeners(Queue<String> story, JdbcClient sql, TransactionOperations transaction) {
            IntConsumer failOnce = number -> {
                if (number == 2 && failed.compareAndSet(false, true)) {
                    throw new IllegalStateException("the first attempt fails");
                }
            };
            this.transaction = transaction;
            this.target = line -> {
                failOnce.accept(line.endsWith("2") ? 2 : 0);
                story.add(line);
            };
            this.accounts = customer -> {
                sql.sql("INSERT INTO charge VALUES (?)").param(customer).update();
                failOnce.accept(customer);
            };
            this.index = page -> story.add("page " + page);
        }

        record Import(String file) {}

        record Position(long line) {}

        @JobListener
        void importFile(Import job, JobContext context) {
            long line = context.checkpoint(Position.class).map(Position::line).orElse(0L);
            for (; line < files.lines(job.file()); line++) {
                target.write(files.line(job.file(), line));
                context.saveCheckpoint(new Position(line + 1));
            }
        }

        @JobListener
        void convertPages(Convert job, JobContext context) {
            context.log("converting {}", job.file());
            for (int page = 1; page <= 3; page++) {
                converter.convert(page);
                context.log("page {} of {}", page, 3);
            }
        }

        @JobListener
        void charge(ChargeAll job, JobContext context) {
            int next = context.checkpoint(Integer.class).orElse(0);
            while (next < job.customers()) {
                int customer = next;
                transaction.executeWithoutResult(status -> {
                    accounts.charge(customer);
                    context.saveCheckpoint(customer + 1);
                });
                next++;
            }
        }

        @JobListener
        void reindex(Reindex job, JobContext context) {
            int page = context.checkpoint(Integer.class).orElse(0);
            index.update(page);
            if (page + 1 < job.pages()) {
                context.saveCheckpoint(page + 1);
                throw new SnoozeException(Duration.ofMillis(10));
            }
        }
    }

    @Test
    void anImportGoesOnWhereItFailed() {
        contexts.run(context -> {
            long id = context.getBean(JobOperations.class).enqueue(new Listeners.Import("a.csv"));
            context.getBean(JobResults.class).await(id, LONG);

            assertThat(context.getBean(Application.class).story)
                    .containsExactly("a.csv 0", "a.csv 1", "a.csv 2", "a.csv 3");
        });
    }

    @Test
    void peopleReadWhatAHandlerLogs() {
        contexts.run(context -> {
            long id = context.getBean(JobOperations.class).enqueue(new Convert("a.pdf"));
            context.getBean(JobResults.class).await(id, LONG);

            JobSearch search = context.getBean(JobSearch.class);
            assertThat(await().until(() -> search.log(id), lines -> lines.size() == 4))
                    .extracting(LogLine::text)
                    .containsExactly("converting a.pdf", "page 1 of 3", "page 2 of 3", "page 3 of 3");
        });
    }

    @Test
    void eachCustomerIsChargedOnce() {
        contexts.run(context -> {
            JdbcClient sql = JdbcClient.create(context.getBean(DataSource.class));
            sql.sql("CREATE TABLE charge (customer int)").update();

            long id = context.getBean(JobOperations.class).enqueue(new ChargeAll(4));
            context.getBean(JobResults.class).await(id, LONG);

            assertThat(sql.sql("SELECT customer FROM charge")
                            .query(Integer.class)
                            .list())
                    .containsExactly(0, 1, 2, 3);
        });
    }

    @Test
    void anIndexIsMadePageByPage() {
        contexts.run(context -> {
            long id = context.getBean(JobOperations.class).enqueue(new Reindex(3));
            context.getBean(JobResults.class).await(id, LONG);

            assertThat(context.getBean(Application.class).story).containsExactly("page 0", "page 1", "page 2");
        });
    }
}
