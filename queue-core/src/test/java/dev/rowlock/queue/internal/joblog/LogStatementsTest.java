package dev.rowlock.queue.internal.joblog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.joblog.LogStatements.Line;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How lines get into the table, and out of it. */
@PostgresTest(migrated = true)
class LogStatementsTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final LogStatements statements;

    LogStatementsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        this.statements = new LogStatements(rooms.database());
        rooms.execute("DELETE FROM rowlock.job_log");
    }

    private static List<Line> lines(long job, long token, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Line(job, token, 1, i, System.nanoTime(), "line " + i))
                .toList();
    }

    @Test
    void linesWhoseAnswerWasLostAreThereOnce() {
        statements.write(lines(1, 5, 10));
        statements.write(lines(1, 5, 10));

        assertThat(rooms.count("job_log")).isEqualTo(10);
    }

    @Test
    void asManyLinesAsAJobMayHaveAreStillThereAfterALostAnswer() {
        statements.write(lines(1, 4, LogStatements.MOST_LINES));
        List<Line> lines = lines(1, 5, LogStatements.MOST_LINES);
        statements.write(lines.subList(0, 600));
        statements.write(lines.subList(0, 600));
        assertThat(rooms.count("job_log")).isEqualTo(LogStatements.MOST_LINES);

        statements.write(lines);
        statements.write(lines);
        assertThat(rooms.count("job_log")).isEqualTo(LogStatements.MOST_LINES);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.job_log WHERE token = 5"))
                .isEqualTo(LogStatements.MOST_LINES);
    }

    @Test
    void onlyNewLinesPushOldOnesOut() {
        statements.write(lines(1, 5, LogStatements.MOST_LINES));
        List<Line> lines = lines(1, 6, 30);
        statements.write(lines.subList(0, 10));
        statements.write(lines);

        assertThat(rooms.number("SELECT count(*) FROM rowlock.job_log WHERE token = 6"))
                .isEqualTo(30);
        assertThat(rooms.number("SELECT min(number) FROM rowlock.job_log WHERE token = 5"))
                .isEqualTo(30);
        assertThat(rooms.count("job_log")).isEqualTo(LogStatements.MOST_LINES);
    }

    @Test
    void twoClaimsOfAJobWriteAtOnce() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new LogStatements(other.database()).write(lines(1, 5, 900));
            CompletableFuture<Void> mine = CompletableFuture.runAsync(() -> statements.write(lines(1, 6, 900)));
            mine.join(); // waits for nobody
            other.commit();
        }
        statements.write(lines(1, 7, 1));

        assertThat(rooms.count("job_log")).isEqualTo(1_000);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.job_log WHERE token = 5"))
                .isEqualTo(99);
    }

    @ParameterizedTest
    @EnumSource(Plans.class)
    void aWriteReadsOnlyLinesOfItsJobs(Plans plans) throws Exception {
        rooms.execute("VACUUM ANALYZE rowlock.job_log");
        rooms.execute(
                "INSERT INTO rowlock.job_log SELECT n / 10, 1, n, 1, now(), 'x' FROM generate_series(1, 50000) n");
        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), plans)) {
            Database database = explained.database();
            for (int i = 0; i < 6; i++) {
                new LogStatements(database).write(lines(77, 10 + i, 20));
            }
            assertThat(explained.lastPlan()).contains("job_log_pkey").doesNotContain("Seq Scan on job_log");

            new LogStatements(database).read(77, 10, row -> row.getString("text"));
            assertThat(explained.lastPlan()).contains("job_log_pkey").doesNotContain("Seq Scan on job_log");
        }
    }

    @Test
    void aHandlerThatLogsFasterThanTheDatabaseTakesFillsNoMemory() {
        JobLog log = new JobLog();
        ClaimedJob job = rooms.running();
        for (int i = 0; i < 5_000; i++) {
            log.add(job, "x".repeat(2_000));
        }
        List<Line> first = log.first(10_000);
        assertThat(first).hasSize(JobLog.MOST_CHARACTERS / (2_000 + JobLog.BESIDE_TEXT));

        log.written(first.subList(0, 500), List.of());
        assertThat(log.add(job, "more")).isFalse();
        assertThat(log.first(10_000)).hasSize(first.size() - 499);
        log.written(log.first(10_000), List.of());
        assertThat(log.isEmpty()).isTrue();
        assertThat(log.add(job, "first again")).isTrue();
    }

    @Test
    void emptyLinesFillNoMemoryEither() {
        JobLog log = new JobLog();
        ClaimedJob job = rooms.running();
        int most = JobLog.MOST_CHARACTERS / JobLog.BESIDE_TEXT;
        try (LogLines told = new LogLines(JobLog.class.getName())) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < most + 5; i++) {
                    log.add(job, "");
                }
                assertThat(log.size()).isEqualTo(most);
                List<Line> first = log.first(1_000);
                log.written(first, first.subList(0, 7));
                assertThat(log.first(7)).isEqualTo(first.subList(0, 7));
                log.written(log.first(most), List.of());
            }

            assertThat(told.lines()).singleElement().asString().contains("5 lines of the logs of jobs were left out");
        }
    }

    @Test
    void theFirstLineAsksForAWriteWithinASecondAndTheEndOfAnAttemptForOneSooner() {
        JobLogFeature feature = new JobLogFeature(rooms.database());
        List<Duration> asked = new ArrayList<>();
        Chore chore = feature.chores(null).get(0);
        chore.triggeredBy(asked::add);
        ClaimedJob job = rooms.running();

        feature.observer().finished(job, null, Duration.ZERO);
        feature.add(job, "one");
        feature.add(job, "two");
        feature.observer().finished(job, null, Duration.ZERO);
        assertThat(asked).containsExactly(Duration.ofSeconds(1), Duration.ofMillis(100));

        assertThat(chore.runOnce()).isEqualTo(Duration.ofMinutes(1));
        assertThat(rooms.count("job_log")).isEqualTo(2);
    }
}
