package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.search.LogLine;
import dev.rowlock.queue.spi.ManualNode;
import dev.rowlock.queue.spi.PayloadHandler;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Handlers write lines to the logs of their jobs. */
@PostgresTest(migrated = true)
class JobLogTest {

    record Convert(String file) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final TestDatabase test;
    private final Rooms rooms;

    JobLogTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rooms.execute("DELETE FROM rowlock.job_log");
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
        rooms.execute("DROP FUNCTION IF EXISTS public.refuse CASCADE");
    }

    private Rowlock started(PayloadHandler<Convert> handler) {
        return rowlocks.started(Rowlocks.quick(test.dataSource()).listener(Convert.class, handler));
    }

    @Test
    void linesAreReadInOrderWithTheirTimeAndAttempt() {
        Instant before = rooms.sql("SELECT clock_timestamp()")
                .query(java.time.OffsetDateTime.class)
                .single()
                .toInstant();
        Rowlock rowlock = started((convert, job) -> {
            job.log("begin " + convert.file());
            job.log("page {} of {}", job.attempt(), 2);
            if (job.attempt() == 1) {
                throw new IllegalStateException("away");
            }
        });

        long id = rowlock.jobs().enqueue(new Convert("a"));

        List<LogLine> log = await().until(() -> rowlock.search().log(id), lines -> lines.size() == 4);
        assertThat(log)
                .extracting(LogLine::attempt, LogLine::text)
                .containsExactly(
                        tuple(1, "begin a"), tuple(1, "page 1 of 2"), tuple(2, "begin a"), tuple(2, "page 2 of 2"));
        assertThat(log.get(3).token()).isGreaterThan(log.get(0).token());
        assertThat(log)
                .extracting(LogLine::at)
                .isSorted()
                .allSatisfy(at -> assertThat(at)
                        .isBetween(before.minusMillis(2), Instant.now().plusSeconds(60)));
        assertThat(rowlock.search().log(id, 1)).extracting(LogLine::text).containsExactly("page 2 of 2");
        assertThat(rowlock.search().log(id + 1)).isEmpty();
    }

    @Test
    void linesAreThereWhileTheHandlerRuns() {
        CountDownLatch end = new CountDownLatch(1);
        Rowlock rowlock = started((convert, job) -> {
            job.log("begun");
            end.await();
        });

        long id = rowlock.jobs().enqueue(new Convert("a"));

        await().until(() -> rowlock.search().log(id), lines -> lines.size() == 1);
        assertThat(rowlock.search().find(id).orElseThrow().endedAt()).isNull();
        end.countDown();
    }

    @Test
    void theLastLinesAreWrittenAtTheStop() {
        CountDownLatch begun = new CountDownLatch(1);
        Rowlock rowlock = started((convert, job) -> {
            begun.countDown();
            while (!job.stopRequested()) {
                Thread.onSpinWait();
            }
            job.log("stopped: {}", job.stopReason().orElseThrow());
            throw new InterruptedException();
        });
        long id = rowlock.jobs().enqueue(new Convert("a"));
        await().until(() -> begun.getCount() == 0);

        rowlock.stop();

        assertThat(rowlock.search().log(id)).extracting(LogLine::text).containsExactly("stopped: SHUTDOWN");
    }

    @Test
    void aJobKeepsItsNewestLines() {
        Rowlock rowlock = started((convert, job) -> {
            IntStream.range(0, 1_700).forEach(i -> job.log("line " + i));
            if (job.attempt() < 3) {
                throw new IllegalStateException("again");
            }
            job.log("x".repeat(5_000) + "\u0000");
            job.log("a\u0000b\ud83d");
        });

        long id = rowlock.jobs().enqueue(new Convert("a"));

        List<LogLine> log = await().until(
                        () -> rowlock.search().log(id),
                        lines -> !lines.isEmpty()
                                && lines.get(lines.size() - 1).text().equals("a\ufffdb\ufffd"));
        assertThat(log).hasSize(JobSearch.MAX_LOG);
        assertThat(log.get(998).text()).hasSize(JobContext.MAX_LOG_LINE).endsWith("…");
        assertThat(log.get(997).text()).isEqualTo("line 1699");
        assertThat(log.get(0)).extracting(LogLine::attempt, LogLine::text).containsExactly(3, "line 702");
        assertThat(rooms.count("job_log")).isEqualTo(1_000);
    }

    @Test
    void jobsOfAChunkHaveALogEach() {
        Rowlock rowlock = rowlocks.started(Rowlocks.quick(test.dataSource()).chunkListener(Convert.class, jobs -> {
            for (ChunkJob<Convert> job : jobs) {
                job.context().log("file " + job.payload().file());
            }
            return ChunkResult.ALL_COMPLETED;
        }));

        long[] ids = rowlock.jobs().enqueueAll(List.of(new Convert("a"), new Convert("b")));

        await().until(() -> rooms.count("job_log") == 2);
        assertThat(rowlock.search().log(ids[1])).extracting(LogLine::text).containsExactly("file b");
    }

    @Test
    void nothingIsLoggedOnceTheListenerHasReturned() {
        JobContext[] kept = new JobContext[1];
        Rowlock rowlock = started((convert, job) -> kept[0] = job);
        long id = rowlock.jobs().enqueue(new Convert("a"));
        await().until(() -> rowlock.search().find(id).orElseThrow().endedAt() != null);

        assertThatThrownBy(() -> kept[0].log("late")).hasMessageContaining("has returned");
    }

    @Test
    void linesThatTheServerRefusesHoldUpNoJobAndNoOtherLines() {
        rooms.execute(
                "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$");
        rooms.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.job_log FOR EACH ROW WHEN (NEW.text = 'bad') EXECUTE FUNCTION public.refuse()");
        Rowlock rowlock = started((convert, job) -> job.log(convert.file()));
        long bad = rowlock.jobs().enqueue(new Convert("bad"));
        await().until(() -> rowlock.search().find(bad).orElseThrow().endedAt() != null);
        await().until(() -> {
            long good = rowlock.jobs().enqueue(new Convert("good"));
            await().until(() -> rowlock.search().find(good).orElseThrow().endedAt() != null);
            return rooms.count("job_log") > 0;
        });
    }

    @Test
    void linesOfATestsThreadAreInItsTransaction() {
        Rowlock rowlock = rowlocks.built(Rowlocks.quick(test.dataSource()).listener(Convert.class, (convert, job) -> {
            job.log("failing");
            throw new DoNotRetryException("no");
        }));
        new TransactionTemplate(new JdbcTransactionManager(test.dataSource())).executeWithoutResult(status -> {
            long id = rowlock.jobs().enqueue(new Convert("a"));
            try (ManualNode node = rowlock.manualNode()) {
                assertThat(node.runNext()).isPresent();
                assertThat(node.runNext()).isEmpty();
                assertThat(rowlock.search().log(id)).extracting(LogLine::text).containsExactly("failing");
            }
            status.setRollbackOnly();
        });

        assertThat(rooms.count("job_log")).isZero();
    }

    @Test
    void aLogGoesWithItsJob() {
        Rowlock rowlock = started((convert, job) -> {
            job.log("one");
            job.log("two");
            throw new DoNotRetryException("no");
        });
        long discarded = rowlock.jobs().enqueue(new Convert("a"));
        long dead = rowlock.jobs().enqueue(new Convert("b"));
        await().until(() -> rooms.count("job_log") == 4);
        Leftovers leftovers = new Leftovers(rooms.database());
        assertThat(leftovers.logs(Leftovers.FIRST_ID, 10).removed()).isZero();

        rowlock.admin().discard(discarded);

        assertThat(leftovers.logs(Leftovers.FIRST_ID, 1)).isEqualTo(new Leftovers.Stretch<>(2, discarded));
        assertThat(leftovers.logs(discarded, 10)).isEqualTo(new Leftovers.Stretch<>(0, null));
        assertThat(rowlock.search().log(dead)).hasSize(2);
    }
}
