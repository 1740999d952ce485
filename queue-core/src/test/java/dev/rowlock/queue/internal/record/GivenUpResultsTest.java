package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Results that the database does not accept, more than are kept in memory. */
@PostgresTest(freshPerTest = true, migrated = true)
class GivenUpResultsTest {

    record Report(int number) {}

    private static final int JOBS = 14;
    private static final String RESULT = "x".repeat(1_000_000);

    @Test
    void anErrorWhileResultsAreGivenUpForgetsNoOutcome(TestDatabase database) {
        AtomicInteger probes = new AtomicInteger();
        DelegatingDataSource pool = new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (probing() && probes.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("for a test");
                }
                return super.getConnection();
            }
        };
        try (TestNode node = new TestNode(database, pool)) {
            refuseResults(node);
            node.listener(Report.class, (context, payload) -> RESULT);
            node.start();
            long[] ids = IntStream.range(0, JOBS)
                    .mapToLong(i -> node.jobs.enqueue(new Report(i)))
                    .toArray();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> probes.get() > 1);

            node.elsewhere.sql("DROP TRIGGER refuse ON rowlock.done").update();

            Awaitility.await().atMost(Duration.ofSeconds(75)).until(() -> node.count("running") == 0);
            assertThat(Arrays.stream(ids)
                            .mapToObj(id -> node.search.find(id).orElseThrow().state()))
                    .hasSize(JOBS)
                    .isSubsetOf(JobState.COMPLETED, JobState.DEAD);
        }
    }

    /** As by an operator who asks in one transaction to cancel many jobs: the recorder has never failed when it gets to their results. */
    @Test
    void outcomesWhoseRowsWereLockedKeepTheirResults(TestDatabase database) throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        try (TestNode node = new TestNode(database);
                LogLines log = new LogLines("dev.rowlock");
                Connection other = database.unpooled().getConnection()) {
            node.concurrency(JOBS)
                    .listener(Report.class, (context, payload) -> {
                        locked.await();
                        return RESULT;
                    })
                    .start();
            long[] ids = IntStream.range(0, JOBS)
                    .mapToLong(i -> node.jobs.enqueue(new Report(i)))
                    .toArray();
            node.awaitCount("running", JOBS);
            other.setAutoCommit(false);
            other.createStatement().execute("SELECT FROM rowlock.running FOR UPDATE");
            locked.countDown();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> waiting(log) == JOBS);

            other.rollback();

            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> node.count("done") == JOBS);
            assertThat(Arrays.stream(ids)
                            .mapToObj(id -> node.search.find(id).orElseThrow().result()))
                    .allMatch(result -> result.length() > RESULT.length());
            assertThat(log.lines()).noneMatch(line -> line.contains("thread 'rowlock-recorder' failed"));
        }
    }

    /** It lies in memory several times, here and in the server. */
    @Test
    void noWriteGrowsBeyondItsBoundHoweverLongTheDatabaseWasAway(TestDatabase database) {
        AtomicInteger refused = new AtomicInteger(Integer.MAX_VALUE);
        DelegatingDataSource pool = new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (Thread.currentThread().getName().equals("rowlock-recorder")
                        && (probing() ? refused.get() : refused.incrementAndGet()) < 10) {
                    throw new SQLException("for a test", "08001");
                }
                return super.getConnection();
            }
        };
        CountDownLatch away = new CountDownLatch(1);
        try (TestNode node = new TestNode(database, pool)) {
            noteLengths(node);
            node.concurrency(JOBS)
                    .listener(Report.class, (context, payload) -> {
                        away.await();
                        return RESULT;
                    })
                    .start();
            node.jobs.enqueueAll(IntStream.range(0, JOBS).mapToObj(Report::new).toList());
            node.awaitCount("running", JOBS);
            refused.set(0);
            away.countDown();

            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> node.count("done") == JOBS);

            assertThat(refused).hasValueGreaterThanOrEqualTo(10);
            assertThat(node.elsewhere
                            .sql("SELECT max(characters) FROM written")
                            .query(Long.class)
                            .single())
                    .isBetween(4_000_000L, 5_500_000L);
        }
    }

    private static void noteLengths(TestNode node) {
        node.elsewhere.sql("CREATE TABLE written (characters bigint)").update();
        node.elsewhere
                .sql(
                        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                                + " $$ BEGIN INSERT INTO public.written SELECT sum(length(result::text)) FROM fresh; RETURN null; END $$")
                .update();
        node.elsewhere
                .sql("CREATE TRIGGER note AFTER INSERT ON rowlock.done REFERENCING NEW TABLE AS fresh"
                        + " FOR EACH STATEMENT EXECUTE FUNCTION note()")
                .update();
    }

    /** How many outcomes wait for locked rows. */
    private static int waiting(LogLines log) {
        return log.lines().stream()
                .map(Pattern.compile("(\\d+) outcomes wait because another transaction")::matcher)
                .filter(Matcher::find)
                .mapToInt(line -> Integer.parseInt(line.group(1)))
                .sum();
    }

    private static boolean probing() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == OutcomeStatements.class
                        && frame.getMethodName().equals("writable")));
    }

    private static void refuseResults(TestNode node) {
        node.elsewhere
                .sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '42501'; END $$")
                .update();
        node.elsewhere
                .sql("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW"
                        + " WHEN (new.result IS NOT NULL AND new.type <> 'rowlock.probe') EXECUTE FUNCTION refuse()")
                .update();
    }
}
