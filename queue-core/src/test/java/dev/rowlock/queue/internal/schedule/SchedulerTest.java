package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Which jobs a recurring job brings, by a clock of the database that only the test moves. It begins at 10:00. */
@PostgresTest
class SchedulerTest {

    record Report(String name) {}

    private static final Duration HOUR = Duration.ofHours(1);

    private static FrozenClock clock;

    private final TestDatabase test;
    private final Database database;
    private final JdbcClient sql;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final RecurringJobs recurring;
    private final Scheduler scheduler;

    SchedulerTest(TestDatabase test) throws SQLException {
        this.test = test;
        clock = clock != null ? clock : new FrozenClock(test);
        Rooms.emptyIn(test);
        database = new Database(test.dataSource(), new Schema("rowlock"));
        sql = JdbcClient.create(test.dataSource());
        recurring = FrontDoors.recurringJobs(database, new JacksonPayloadCodec(JsonMapper.shared()), wakeups);
        scheduler = scheduler();
    }

    private Scheduler scheduler() {
        return new Scheduler(new ScheduleStatements(database), wakeups, Set::of, () -> 0);
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    private static RecurringJob hourly() {
        return RecurringJob.of("hourly", Schedule.every(HOUR), new Report("sales"));
    }

    @Test
    void eachTimeBringsOneJob() {
        recurring.create(hourly().options(o -> o.queue("reports").priority(7)));

        assertThat(runsAt("10:59:59.999")).isEmpty();
        assertThat(runsAt("11:00:00")).containsExactly("11:00");
        assertThat(runsAt("11:59:59")).isEmpty();
        assertThat(runsAtKeeping("12:00:01")).containsExactly("12:00");
        assertThat(sql.sql("SELECT DISTINCT queue, type, priority, payload ->> 'name' AS name FROM rowlock.job_details")
                        .query()
                        .singleRow())
                .containsEntry("queue", "reports")
                .containsEntry("type", "Report")
                .containsEntry("priority", 7)
                .containsEntry("name", "sales");
    }

    @Test
    void workersAreWoken() {
        recurring.create(hourly().options(o -> o.queue("reports").priority(7)));

        runsAt("11:00:00");

        assertThat(wakeups.heard()).contains("1 ready in reports from rank -7");
    }

    @Test
    void aJobKnowsItsRun() {
        RetryPolicy retry = RetryPolicy.fixed(Duration.ofSeconds(3));
        recurring.create(
                hourly().options(o -> o.header("tenant", "\"}{\ud83d ümlaut").retry(retry)));
        recurring.create(RecurringJob.of("plain", Schedule.every(HOUR), new Report("stock")));

        clock.set("2026-11-22T11:00:30Z");
        scheduler.runOnce();

        List<String> headers = sql.sql("SELECT headers::text FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
        assertThat(Headers.decode(headers.get(0)))
                .containsOnly(
                        entry("scheduled-at", "2026-11-22T11:00:00Z"),
                        entry("recurring-job", "hourly"),
                        entry("tenant", "\"}{\ud83d ümlaut"));
        assertThat(Headers.retry(headers.get(0)).initialInterval()).isEqualTo(retry.initialInterval());
        assertThat(Headers.decode(headers.get(1)))
                .containsOnly(entry("scheduled-at", "2026-11-22T11:00:00Z"), entry("recurring-job", "plain"));
    }

    @Test
    void aLargePayloadIsStoredAsideAsEver() {
        recurring.create(hourly().payload(new Report("x".repeat(10_000))));

        assertThat(runsAtKeeping("11:00:00")).hasSize(1);
        assertThat(sql.sql("SELECT length(payload ->> 'name') FROM rowlock.job_details")
                        .query(int.class)
                        .single())
                .isEqualTo(10_000);
        assertThat(sql.sql("SELECT count(*) FROM rowlock.payload")
                        .query(int.class)
                        .single())
                .isOne();
    }

    // Several nodes

    @Test
    void ofManyNodesThatLookAtOnceOneBringsTheJob() {
        IntStream.range(0, 20)
                .forEach(i -> recurring.create(RecurringJob.of("job-" + i, Schedule.every(HOUR), new Report("r" + i))));
        List<Scheduler> nodes = IntStream.range(0, 6).mapToObj(i -> scheduler()).toList();
        clock.set("2026-11-22T11:00:00Z");

        CompletableFuture<?>[] looks = nodes.stream()
                .map(node ->
                        CompletableFuture.runAsync(() -> IntStream.range(0, 5).forEach(i -> node.runOnce())))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(looks).join();
        scheduler.runOnce();

        assertThat(runs()).hasSize(20);
    }

    @Test
    void whoLooksAtAnOldStateChangesNothing() {
        recurring.create(hourly());
        clock.set("2026-11-22T11:00:00Z");
        ScheduleStatements statements = new ScheduleStatements(database);
        var look = statements.find().run(Set.of(), Set.of(), 10);
        scheduler.runOnce();

        var late = statements.fire().run(List.of(Runs.due(look.due().get(0), look.now())));

        assertThat(late).isEmpty();
        assertThat(runs()).hasSize(1);
    }

    @Test
    void aRowThatSomebodyIsChangingHoldsUpNobody() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        clock.set("2026-11-22T11:00:00Z");

        new TransactionTemplate(new DataSourceTransactionManager(test.dataSource())).executeWithoutResult(status -> {
            recurring.pause("hourly");
            assertThat(CompletableFuture.supplyAsync(() -> scheduler.runOnce()).join())
                    .isZero();
            assertThat(CompletableFuture.supplyAsync(() -> scheduler.runOnce()).join())
                    .isPositive();
            status.setRollbackOnly();
        });

        assertThat(runs()).hasSize(1);
        scheduler.runOnce();
        assertThat(runs()).hasSize(2);
    }

    @Test
    void oneThatTheServerRefusesHoldsUpNoOthers() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        sql.sql("ALTER TABLE rowlock.ready ADD CONSTRAINT no_sales CHECK (payload ->> 'name' <> 'sales')")
                .update();
        try {
            clock.set("2026-11-22T11:00:00Z");
            scheduler.runOnce();
            scheduler.runOnce();
            assertThat(runs()).hasSize(1);
        } finally {
            sql.sql("ALTER TABLE rowlock.ready DROP CONSTRAINT no_sales").update();
        }
        scheduler().runOnce();

        assertThat(runs()).as("it stays due").hasSize(2);
    }

    /** As a later version may have written it. */
    @Test
    void aWordThatThisVersionDoesNotKnowHoldsUpNoOthers() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        sql.sql("ALTER TABLE rowlock.schedule DROP CONSTRAINT schedule_overlap_check")
                .update();
        sql.sql("UPDATE rowlock.schedule SET overlap = 'queue_two' WHERE name = 'hourly'")
                .update();

        assertThat(runsAt("11:00:00")).hasSize(1);
    }

    @Test
    void oneThatCannotBeReadHoldsUpNoOthers() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        sql.sql(
                        "UPDATE rowlock.schedule SET cron = 'whenever', zone = 'UTC', every_millis = NULL WHERE name = 'hourly'")
                .update();

        assertThat(runsAt("11:00:00")).hasSize(1);
    }

    // Missed

    @Test
    void forSeveralMissedRunsThereIsOne() {
        recurring.create(hourly());

        assertThat(runsAt("15:20:00")).containsExactly("15:00");
        assertThat(runsAt("16:00:00")).containsExactly("16:00");
    }

    @Test
    void missedRunsCanBeSkipped() {
        recurring.create(hourly().missed(MissedRuns.SKIP));

        assertThat(runsAt("15:20:00")).isEmpty();
        assertThat(runsAt("16:00:59")).as("not missed yet").containsExactly("16:00");
    }

    @Test
    void missedRunsCanBeMadeUpForInTheirOrder() {
        recurring.create(hourly().overlap(Overlap.ALLOW).missed(MissedRuns.runAll(10, Duration.ofDays(1))));

        assertThat(runsAt("13:20:00")).containsExactly("11:00", "12:00", "13:00");
        assertThat(details().lastRun()).isEqualTo(Instant.parse("2026-11-22T13:00:00Z"));
    }

    @Test
    void ofManyMissedRunsTheNewestCount() {
        recurring.create(hourly().overlap(Overlap.ALLOW).missed(MissedRuns.runAll(2, Duration.ofDays(1))));

        assertThat(runsAt("18:20:00")).containsExactly("17:00", "18:00");
    }

    @Test
    void missedRunsGrowTooOld() {
        recurring.create(hourly().overlap(Overlap.ALLOW).missed(MissedRuns.runAll(100, Duration.ofMinutes(150))));

        assertThat(runsAt("18:20:00")).containsExactly("16:00", "17:00", "18:00");
    }

    @Test
    void aRunThatIsPutOffIsNotTooOldForThat() {
        recurring.create(hourly().overlap(Overlap.ALLOW)
                .jitter(Duration.ofMinutes(59))
                .missed(MissedRuns.runAll(5, Duration.ofSeconds(1))));

        assertThat(runsAt("11:59:30")).containsExactly("11:00");
    }

    @Test
    void manyMissedRunsOfManyComeInSeveralStatements() {
        MissedRuns all = MissedRuns.runAll(1_000, Duration.ofDays(1));
        IntStream.range(0, 5)
                .forEach(i -> recurring.create(
                        RecurringJob.of("each-second-" + i, Schedule.cron("* * * * * *"), new Report("tick"))
                                .overlap(Overlap.ALLOW)
                                .missed(all)));

        assertThat(runsAt("12:00:00")).hasSize(5_000);
    }

    @Test
    void yearsOfMissedSecondsTakeNoTime() {
        recurring.create(RecurringJob.of("each-second", Schedule.cron("* * * * * *"), new Report("tick")));
        clock.set("2036-11-22T10:00:00.500Z");

        scheduler.runOnce();

        assertThat(sql.sql("SELECT headers ->> 'scheduled-at' FROM rowlock.ready")
                        .query(String.class)
                        .list())
                .containsExactly("2036-11-22T10:00:00Z");
    }

    // The clock is set

    @Test
    void aClockThatIsSetBackBringsNoRunTwice() {
        recurring.create(hourly());
        runsAt("11:00:00");

        clock.set("2026-11-22T09:59:00Z");
        scheduler.runOnce();
        assertThat(runsAt("11:30:00")).isEmpty();
        assertThat(runsAt("12:00:00")).containsExactly("12:00");
    }

    // Overlap

    @Test
    void aRunIsSkippedWhileTheLastJobHasNotEnded() {
        recurring.create(hourly());
        runsAtKeeping("11:00:00");

        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00");
        assertThat(details().skipped()).isOne();

        endAll();
        assertThat(runsAt("13:00:00")).containsExactly("13:00");
    }

    @Test
    void aJobThatWaitsForARetryHasNotEnded() {
        recurring.create(hourly());
        runsAtKeeping("11:00:00");
        sql.sql(
                        "WITH j AS (DELETE FROM rowlock.ready RETURNING *) INSERT INTO rowlock.waiting"
                                + " (id, due_at, enqueued_at, rank, attempt, reason, queue, type, payload, headers)"
                                + " SELECT id, ready_at + interval '1 day', enqueued_at, rank, 1, 'retry', queue, type, payload, headers FROM j")
                .update();

        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00");
    }

    @Test
    void runsMayOverlapWhereAllowed() {
        recurring.create(hourly().overlap(Overlap.ALLOW));
        runsAtKeeping("11:00:00");

        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00", "12:00");
    }

    @Test
    void oneRunMayWaitForTheEndOfTheLastJob() {
        recurring.create(hourly().overlap(Overlap.QUEUE_ONE));
        runsAtKeeping("11:00:00");
        assertThat(runsAtKeeping("12:00:00")).containsExactly("11:00");
        assertThat(runsAtKeeping("13:00:00")).containsExactly("11:00");
        assertThat(details().skipped()).as("the one of 12:00").isOne();
        endAll();

        assertThat(runsAt("13:10:00")).containsExactly("13:00");
        assertThat(runsAt("13:20:00")).isEmpty();
        assertThat(runsAt("14:00:00")).containsExactly("14:00");
        assertThat(details().skipped()).isOne();
    }

    @Test
    void aRunThatWaitsOutlastsAMissedOneThatIsSkipped() {
        recurring.create(hourly().overlap(Overlap.QUEUE_ONE).missed(MissedRuns.SKIP));
        runsAtKeeping("11:00:00");
        runsAtKeeping("12:00:00");
        runsAtKeeping("13:05:00");
        endAll();

        assertThat(runsAt("13:06:00")).containsExactly("12:00");
    }

    @Test
    void whileARunWaitsNodesLookOften() {
        recurring.create(hourly().overlap(Overlap.QUEUE_ONE));
        runsAtKeeping("11:00:00");
        assertThat(scheduler.runOnce()).isEqualTo(Duration.ofSeconds(15));
        runsAtKeeping("12:00:00");

        assertThat(scheduler.runOnce()).isLessThanOrEqualTo(Duration.ofMillis(250));
    }

    @Test
    void aJobThatHasNotBegunMakesWayForANewerRun() {
        recurring.create(hourly().overlap(Overlap.CANCEL_RUNNING));
        runsAtKeeping("11:00:00");

        clock.set("2026-11-22T12:00:00Z");
        assertThat(scheduler.runOnce()).as("it goes on").isZero();
        scheduler.runOnce();
        scheduler.runOnce();

        assertThat(runs()).containsExactly("12:00");
        assertThat(sql.sql("SELECT state FROM rowlock.done").query(String.class).list())
                .containsExactly("cancelled");
    }

    @Test
    void aRunningJobIsAskedToStopByWhicheverNodeIsThere() {
        recurring.create(hourly().overlap(Overlap.CANCEL_RUNNING));
        runsAtKeeping("11:00:00");
        sql.sql(
                        "WITH j AS (DELETE FROM rowlock.ready RETURNING *) INSERT INTO rowlock.running"
                                + " (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload, headers)"
                                + " SELECT id, 1, 1, ready_at, enqueued_at, ready_at, rank, 1, 0, queue, type, payload, headers FROM j")
                .update();
        clock.set("2026-11-22T12:00:00Z");
        ScheduleStatements statements = new ScheduleStatements(database);
        var look = statements.find().run(Set.of(), Set.of(), 10);
        statements.fire().run(List.of(Runs.due(look.due().get(0), look.now()))); // and dies

        scheduler.runOnce();

        assertThat(sql.sql("SELECT cancel_requested FROM rowlock.running")
                        .query(boolean.class)
                        .single())
                .isTrue();
        assertThat(runs()).containsExactly("11:00");

        endAll();
        scheduler.runOnce();
        assertThat(runs()).containsExactly("12:00");
    }

    // Jitter

    @Test
    void jitterSpreadsRunsOfTheSameTime() {
        IntStream.range(0, 100)
                .forEach(i ->
                        recurring.create(RecurringJob.of("job-" + i, Schedule.cron("0 0 11 * * *"), new Report("r"))
                                .jitter(Duration.ofSeconds(100))));
        List<Integer> begun = new ArrayList<>();
        for (int second = 0; second <= 100; second += 10) {
            clock.set(Instant.parse("2026-11-22T11:00:00Z").plusSeconds(second));
            scheduler.runOnce();
            begun.add(runs().size());
        }

        assertThat(begun.get(0)).isLessThan(5);
        assertThat(begun.get(5)).isBetween(35, 65);
        assertThat(begun.get(10)).isEqualTo(100);
        assertThat(runs()).as("their time is the same all the same").containsOnly("11:00");
    }

    @Test
    void aRunIsPutOffDifferentlyEachTime() {
        recurring.create(hourly().jitter(Duration.ofMinutes(30)));
        List<Duration> delays = new ArrayList<>();
        for (int hour = 0; hour < 10; hour++) {
            Instant due = sql.sql("SELECT fire_at FROM rowlock.schedule")
                    .query(java.time.OffsetDateTime.class)
                    .single()
                    .toInstant();
            delays.add(Duration.ofSeconds(due.getEpochSecond() % 3600));
            clock.set(due);
            scheduler.runOnce();
            endAll();
        }

        assertThat(delays).allSatisfy(delay -> assertThat(delay).isBetween(Duration.ZERO, Duration.ofMinutes(30)));
        assertThat(Set.copyOf(delays)).hasSizeGreaterThan(5);
    }

    // The rest

    @Test
    void theNextLookComesWhenTheNextRunIsDue() {
        recurring.create(hourly());
        clock.set("2026-11-22T10:59:55Z");

        assertThat(scheduler.runOnce()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void nodesLookOneAfterTheOther() {
        recurring.create(hourly());
        clock.set("2026-11-22T10:59:55Z");
        Scheduler third = new Scheduler(new ScheduleStatements(database), wakeups, Set::of, () -> 2);

        assertThat(third.runOnce()).isEqualTo(Duration.ofMillis(5_020));
    }

    @Test
    void thousandsAreReadByTheIndex() {
        sql.sql(
                        "INSERT INTO rowlock.schedule (name, every_millis, jitter_millis, missed, missed_runs, missed_window_millis, overlap, rank,"
                                + " queue, type, payload, next_at, fire_at)"
                                + " SELECT 'job-' || n, 3600000, 0, 'run_once', 1, 0, 'skip', 0, 'q', 'Report', '{}', t, t"
                                + " FROM (SELECT n, timestamptz '2026-11-22T11:00:00Z' + n * interval '1 s' AS t FROM generate_series(0, 9999) n) s")
                .update();
        clock.set("2026-11-22T11:00:02Z");

        assertThat(scheduler.runOnce()).isZero();
        assertThat(runs()).hasSize(3);
    }

    /** The runs that have come, by their times; their jobs end. */
    private List<String> runsAt(String time) {
        List<String> runs = runsAtKeeping(time);
        endAll();
        return runs;
    }

    private List<String> runsAtKeeping(String time) {
        clock.set("2026-11-22T" + time + "Z");
        scheduler.runOnce();
        return runs();
    }

    /** Of the live jobs, the times of their runs. */
    private List<String> runs() {
        return sql.sql("SELECT substr(headers ->> 'scheduled-at', 12, 5) FROM rowlock.job_details"
                        + " WHERE state IN ('waiting', 'ready', 'running') ORDER BY id")
                .query(String.class)
                .list();
    }

    private void endAll() {
        for (String room : List.of("waiting", "ready", "running")) {
            sql.sql("DELETE FROM rowlock." + room).update();
        }
    }

    private RecurringJobDetails details() {
        return recurring.find("hourly").orElseThrow();
    }
}
