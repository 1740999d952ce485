package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Recurring jobs as an application makes and manages them. */
@PostgresTest(migrated = true)
class RecurringJobsTest {

    record Report(String name) {}

    private static final RecurringJob YEARLY =
            RecurringJob.of("report", Schedule.cron("0 0 0 1 1 *"), new Report("sales"));

    private final TestDatabase test;
    private final Rooms rooms;
    private final JdbcClient sql;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final RecurringJobs recurring;
    private final TransactionTemplate transaction;

    RecurringJobsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        sql = JdbcClient.create(test.dataSource());
        recurring = FrontDoors.recurringJobs(
                new Database(test.dataSource(), new Schema("rowlock")),
                new JacksonPayloadCodec(JsonMapper.shared()),
                wakeups);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    @Test
    void oneThatIsMadeCanBeSeen() {
        recurring.create(YEARLY.options(o -> o.queue("reports")));

        RecurringJobDetails report = recurring.list().get(0);
        assertThat(report.name()).isEqualTo("report");
        assertThat(report.schedule()).isEqualTo(YEARLY.schedule());
        assertThat(report.type()).isEqualTo("Report");
        assertThat(report.queue()).isEqualTo("reports");
        assertThat(report.declared()).isFalse();
        assertThat(report.lastRun()).isNull();
        assertThat(report.next()).hasSize(5).first().isEqualTo(YEARLY.schedule().next(Instant.now()));
        assertThat(recurring.find("report")).contains(report);
        assertThat(recurring.find("other")).isEmpty();
    }

    @Test
    void nodesHearOfItAfterTheCommit() {
        transaction.executeWithoutResult(status -> {
            recurring.create(YEARLY);
            assertThat(wakeups.heard()).isEmpty();
        });

        assertThat(wakeups.heard()).containsExactly("attention");
    }

    @Test
    void itIsThereOnlyIfTheTransactionCommits() {
        transaction.executeWithoutResult(status -> {
            recurring.create(YEARLY);
            status.setRollbackOnly();
        });

        assertThat(recurring.list()).isEmpty();
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void eachChangeLeavesALineInTheAudit() {
        recurring.create(YEARLY);

        RecurringJobs ann = recurring.by("ann", "ticket 7");
        ann.pause("report");
        ann.resume("report");
        ann.resume("none");
        long job = ann.runNow("report").orElseThrow();
        ann.delete("report");

        assertThat(sql.sql(
                                "SELECT concat_ws('|', who, why, action, subject, detail, jobs) FROM rowlock.audit ORDER BY id")
                        .query(String.class)
                        .list())
                .containsExactly(
                        "application|create recurring job|recurring job report|0",
                        "ann|ticket 7|pause recurring job|recurring job report|0",
                        "ann|ticket 7|resume recurring job|recurring job report|0",
                        "ann|ticket 7|run recurring job|recurring job report|as job %d|1".formatted(job),
                        "ann|ticket 7|delete recurring job|recurring job report|0");
    }

    @Test
    void aChangeThatIsRolledBackLeavesNoLineInTheAudit() {
        transaction.executeWithoutResult(status -> {
            recurring.create(YEARLY);
            status.setRollbackOnly();
        });

        assertThat(sql.sql("SELECT count(*) FROM rowlock.audit")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void aNameIsTakenOnce() {
        recurring.create(YEARLY);

        assertThatThrownBy(() -> recurring.create(YEARLY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'report' already");
    }

    @Test
    void everythingCanBeChanged() {
        recurring.create(YEARLY);

        recurring.change(RecurringJob.of("report", Schedule.every(Duration.ofDays(2)), new Report("stock"))
                .options(o -> o.queue("other").priority(3))
                .overlap(Overlap.ALLOW));

        RecurringJobDetails report = recurring.find("report").orElseThrow();
        assertThat(report.schedule()).isEqualTo(Schedule.every(Duration.ofDays(2)));
        assertThat(report.queue()).isEqualTo("other");
        assertThat(report.overlap()).isEqualTo(Overlap.ALLOW);
        long id = recurring.runNow("report").orElseThrow();
        assertThat(rooms.look(id)).containsEntry("priority", 3);
        assertThat(sql.sql("SELECT payload ->> 'name' FROM rowlock.ready")
                        .query(String.class)
                        .single())
                .isEqualTo("stock");
    }

    @Test
    void whatIsNotThereCannotBeChanged() {
        assertThatThrownBy(() -> recurring.change(YEARLY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no recurring job 'report' to change: create it");
        assertThatThrownBy(() -> recurring.runNow("report"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no recurring job 'report'");
        assertThat(recurring.pause("report")).isFalse();
        assertThat(recurring.resume("report")).isFalse();
        assertThat(recurring.delete("report")).isFalse();
    }

    @Test
    void aPausedOneHasNoNextTimesUntilItIsResumed() {
        recurring.create(YEARLY);

        assertThat(recurring.pause("report")).isTrue();
        assertThat(recurring.find("report").orElseThrow().paused()).isTrue();
        assertThat(recurring.find("report").orElseThrow().next()).isEmpty();

        assertThat(recurring.resume("report")).isTrue();
        assertThat(recurring.find("report").orElseThrow().paused()).isFalse();
        assertThat(recurring.find("report").orElseThrow().next()).hasSize(5);
    }

    @Test
    void whatChangesNothingLeavesNoLineInTheAudit() {
        recurring.create(YEARLY);

        assertThat(recurring.resume("report")).as("there is one").isTrue();
        assertThat(recurring.pause("report")).isTrue();
        assertThat(recurring.pause("report")).isTrue();
        assertThat(recurring.resume("report")).isTrue();
        assertThat(recurring.resume("report")).isTrue();

        assertThat(sql.sql("SELECT action FROM rowlock.audit ORDER BY id")
                        .query(String.class)
                        .list())
                .containsExactly("create recurring job", "pause recurring job", "resume recurring job");
    }

    @Test
    void whatFellIntoThePauseIsNotMadeUpFor() {
        recurring.create(YEARLY);
        recurring.pause("report");
        sql.sql("UPDATE rowlock.schedule SET next_at = now() - interval '1 day'")
                .update();

        recurring.resume("report");

        assertThat(sql.sql("SELECT fire_at > now() FROM rowlock.schedule")
                        .query(boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void aChangeDoesNotEndAPause() {
        recurring.create(YEARLY);
        recurring.pause("report");

        recurring.change(YEARLY.schedule(Schedule.every(Duration.ofHours(1))));

        assertThat(recurring.find("report").orElseThrow().paused()).isTrue();
        assertThat(sql.sql("SELECT count(fire_at) FROM rowlock.schedule")
                        .query(int.class)
                        .single())
                .isZero();
    }

    @Test
    void itCanBeRunByHand() {
        recurring.create(YEARLY);
        wakeups.heard().clear();

        long id = recurring.runNow("report").orElseThrow();

        assertThat(rooms.look(id)).containsEntry("state", "ready").containsEntry("type", "Report");
        assertThat(recurring.find("report").orElseThrow().lastJob()).isEqualTo(id);
        assertThat(recurring.find("report").orElseThrow().lastRun())
                .as("no run of its times")
                .isNull();
        assertThat(wakeups.heard()).containsExactly("1 ready in default from rank 0");
    }

    @Test
    void byHandItRunsNotBesideItselfUnlessThatIsAllowed() {
        recurring.create(YEARLY);
        recurring.pause("report");
        recurring.runNow("report");
        assertThat(recurring.runNow("report")).isEqualTo(OptionalLong.empty());

        recurring.change(YEARLY.overlap(Overlap.ALLOW));

        assertThat(recurring.runNow("report")).isPresent();
    }

    @Test
    void ofTwoThatRunItByHandAtOnceOneDoes() {
        recurring.create(YEARLY);

        transaction.executeWithoutResult(status -> {
            assertThat(recurring.runNow("report")).isPresent();
            assertThat(recurring.runNow("report")).isEmpty();
        });
    }

    @Test
    void oneThatIsDeletedIsGoneAndItsJobsGoOn() {
        recurring.create(YEARLY);
        long id = recurring.runNow("report").orElseThrow();

        assertThat(recurring.delete("report")).isTrue();

        assertThat(recurring.list()).isEmpty();
        assertThat(rooms.look(id)).containsEntry("state", "ready");
    }

    // On a node

    @Test
    @Representative
    void nodesRunTheJobsOfWhatTheyDeclareAndOfWhatIsMadeMeanwhile() throws InterruptedException {
        BlockingQueue<Map<String, String>> runs = new LinkedBlockingQueue<>();
        try (Rowlock rowlock = Rowlock.builder(test.dataSource())
                .listener(Report.class, (Report report, JobContext job) -> runs.add(job.headers()))
                .recurring(RecurringJob.of("declared", Schedule.cron("* * * * * *"), new Report("sales")))
                .build()) {
            rowlock.start();
            assertThat(next(runs, "declared")).isEqualTo("declared");

            rowlock.recurringJobs().create(RecurringJob.of("made", Schedule.cron("* * * * * *"), new Report("stock")));
            assertThat(next(runs, "made")).isEqualTo("made");
            Instant first = scheduled(runs, "declared");
            Instant second = scheduled(runs, "declared");
            assertThat(second).isAfter(first);
        }
    }

    private static String next(BlockingQueue<Map<String, String>> runs, String name) throws InterruptedException {
        return run(runs, name).get(RecurringJob.RECURRING_JOB);
    }

    private static Instant scheduled(BlockingQueue<Map<String, String>> runs, String name) throws InterruptedException {
        return Instant.parse(run(runs, name).get(RecurringJob.SCHEDULED_AT));
    }

    private static Map<String, String> run(BlockingQueue<Map<String, String>> runs, String name)
            throws InterruptedException {
        while (true) {
            Map<String, String> headers = runs.poll(20, TimeUnit.SECONDS);
            assertThat(headers).as("a run of %s", name).isNotNull();
            if (name.equals(headers.get(RecurringJob.RECURRING_JOB))) {
                return headers;
            }
        }
    }
}
