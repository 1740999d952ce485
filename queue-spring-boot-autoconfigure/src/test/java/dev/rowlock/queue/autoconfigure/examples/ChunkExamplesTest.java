package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The examples of docs/chunks.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class ChunkExamplesTest {

    private final ApplicationContextRunner contexts;

    ChunkExamplesTest(TestDatabase database) {
        JdbcClient.create(database.dataSource())
                .sql("CREATE TABLE ledger (account text, amount int)")
                .update();
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    record IndexDocument(String title) {}

    record RankPage(String url) {}

    record SendNews(String to) {}

    record BookEntry(String account, int amount) {}

    /** A search engine that notes its calls. */
    static final class Engine {

        final Queue<Integer> calls = new ConcurrentLinkedQueue<>();

        void bulk(List<IndexDocument> documents) {
            calls.add(documents.size());
        }

        int rank(String url) {
            return url.length();
        }
    }

    static final class Mailer {

        boolean accepts(String to) {
            return to.contains("@");
        }
    }

    static final class Ledger {

        private final JdbcClient sql;

        Ledger(DataSource dataSource) {
            this.sql = JdbcClient.create(dataSource);
        }

        void insert(List<BookEntry> entries) {
            entries.forEach(entry -> sql.sql("INSERT INTO ledger VALUES (?, ?)")
                    .params(entry.account(), entry.amount())
                    .update());
            if (entries.stream().anyMatch(entry -> entry.amount() < 0)) {
                throw new DoNotRetryException("an amount below zero");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        private final Mailer mailer = new Mailer();
        private final Engine engine;
        private final Ledger ledger;

        Application(Engine engine, Ledger ledger) {
            this.engine = engine;
            this.ledger = ledger;
        }

        @JobListener(queue = "search", batch = "500", linger = "50ms")
        void index(List<IndexDocument> jobs) {
            engine.bulk(jobs);
        }

        @JobListener(queue = "search", batch = "500")
        ChunkResult rank(List<ChunkJob<RankPage>> jobs) {
            ChunkResult.Builder result = ChunkResult.builder();
            for (ChunkJob<RankPage> job : jobs) {
                if (job.payload().url().startsWith("https:")) {
                    result.completed(job.id(), engine.rank(job.payload().url()));
                } else {
                    result.failed(job.id(), new DoNotRetryException("not a page of ours"));
                }
            }
            return result.build();
        }

        @JobListener(queue = "mail", batch = "100")
        void send(List<ChunkJob<SendNews>> jobs) {
            Map<Long, Exception> refused = new HashMap<>();
            for (ChunkJob<SendNews> job : jobs) {
                if (!mailer.accepts(job.payload().to())) {
                    refused.put(job.id(), new IllegalArgumentException("refused"));
                }
            }
            if (!refused.isEmpty()) {
                throw new ChunkFailedException(refused);
            }
        }

        @JobListener(queue = "ledger", batch = "500", transactional = true)
        void book(List<BookEntry> entries) {
            ledger.insert(entries);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Parts {

        @Bean
        Engine engine() {
            return new Engine();
        }

        @Bean
        Ledger ledger(DataSource dataSource) {
            return new Ledger(dataSource);
        }
    }

    @Test
    void manyDocumentsAreFewCalls() {
        run(context -> {
            long[] ids = jobs(context)
                    .enqueueAll(IntStream.range(0, 200)
                            .mapToObj(number -> new IndexDocument("page " + number))
                            .toList());

            awaitAll(context, ids, JobState.COMPLETED);
            assertThat(context.getBean(Engine.class).calls)
                    .hasSizeLessThan(20)
                    .satisfies(calls -> assertThat(
                                    calls.stream().mapToInt(Integer::intValue).sum())
                            .isEqualTo(200));
        });
    }

    @Test
    void aResultNamesTheOutcomeOfEachJob() {
        run(context -> {
            long[] ids = jobs(context).enqueueAll(List.of(new RankPage("https://a"), new RankPage("gopher://b")));

            await(context, ids[0], JobState.COMPLETED);
            await(context, ids[1], JobState.DEAD);
            assertThat(context.getBean(JobSearch.class)
                            .find(ids[0])
                            .orElseThrow()
                            .result())
                    .isEqualTo("9");
        });
    }

    @Test
    void anExceptionNamesThoseThatFailed() {
        run(context -> {
            long[] ids = jobs(context).enqueueAll(List.of(new SendNews("ada@example.com"), new SendNews("nobody")));

            await(context, ids[0], JobState.COMPLETED);
            await(context, ids[1], JobState.WAITING);
        });
    }

    @Test
    void entriesAndDoneCommitTogether() {
        run(context -> {
            long[] ids = jobs(context)
                    .enqueueAll(List.of(new BookEntry("a", 1), new BookEntry("b", -2), new BookEntry("c", 3)));

            await(context, ids[0], JobState.COMPLETED);
            await(context, ids[1], JobState.DEAD);
            await(context, ids[2], JobState.COMPLETED);
            assertThat(JdbcClient.create(context.getBean(DataSource.class))
                            .sql("SELECT account FROM ledger ORDER BY account")
                            .query(String.class)
                            .list())
                    .containsExactly("a", "c");
        });
    }

    @Test
    void aLambdaRunsChunksToo(TestDatabase database) {
        Engine engine = new Engine();
        try (Rowlock rowlock = byHand(database.dataSource(), engine).build()) {
            rowlock.start();
            long[] ids = rowlock.jobs().enqueueAll(List.of(new IndexDocument("a"), new IndexDocument("b")));

            Awaitility.await()
                    .until(() -> rowlock.search().find(ids[1]).orElseThrow().state() == JobState.COMPLETED);
            assertThat(engine.calls).containsExactly(2);
        }
    }

    private static RowlockBuilder byHand(DataSource dataSource, Engine engine) {
        RowlockBuilder builder = Rowlock.builder(dataSource)
                .chunkListener(
                        IndexDocument.class, o -> o.queue("search").batch(500).linger(Duration.ofMillis(50)), jobs -> {
                            engine.bulk(jobs.stream().map(ChunkJob::payload).toList());
                            return ChunkResult.ALL_COMPLETED;
                        });
        return builder;
    }

    private void run(Consumer<ApplicationContext> test) {
        contexts.withUserConfiguration(Parts.class).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    private static JobOperations jobs(ApplicationContext context) {
        return context.getBean(JobOperations.class);
    }

    private static void awaitAll(ApplicationContext context, long[] ids, JobState state) {
        for (long id : ids) {
            await(context, id, state);
        }
    }

    private static void await(ApplicationContext context, long id, JobState state) {
        JobSearch search = context.getBean(JobSearch.class);
        Awaitility.await().until(() -> search.find(id).orElseThrow().state() == state);
    }
}
