package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.result.NoSuchJobException;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.NoSuchWorkflowException;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A thread in a transaction holds a connection. A call that took a second one would be a deadlock as soon as all threads of a pool do that. */
@PostgresTest(freshPerTest = true, migrated = true)
class OneConnectionTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    record Work(String what) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final TestDatabase database;
    private final HikariDataSource onlyOne;
    private final TransactionTemplate transaction;
    private final Rowlock web;

    OneConnectionTest(TestDatabase database) {
        this.database = database;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(1_000);
        onlyOne = rowlocks.opened(new HikariDataSource(config));
        transaction = new TransactionTemplate(new JdbcTransactionManager(onlyOne));
        web = rowlocks.built(Rowlocks.quick(onlyOne).enqueueOnly());
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void aTransactionNeedsNoSecondConnectionWhateverItAsksFor() {
        web.limits().set(QueueLimit.of("default").maxRunningPerKey(1));
        long earlier = web.jobs().enqueue(new Work("earlier"));

        Map<String, Throwable> failed = transaction.execute(status -> {
            long job = web.jobs().enqueue(new Work("now"));
            long workflow = web.workflows().start(Workflow.named("w").step("s", new Work("step")));
            Map<String, Throwable> thrown = new LinkedHashMap<>();
            calls(job, workflow, earlier).forEach((name, call) -> {
                try {
                    call.run();
                } catch (RuntimeException e) {
                    thrown.put(name, e);
                }
            });
            return thrown;
        });

        assertThat(failed).isEmpty();
    }

    private Map<String, Runnable> calls(long job, long workflow, long earlier) {
        Map<String, Runnable> calls = new LinkedHashMap<>();
        JobResults results = web.results();
        calls.put("future", () -> results.future(job, LONG, String.class));
        calls.put("future of another's job", () -> results.future(earlier, LONG, String.class));
        calls.put("progress", () -> results.handle(job).progress());
        calls.put("workflow's future", () -> web.workflows().future(workflow, LONG));
        calls.put("workflow", () -> assertThat(web.workflows().find(workflow)).isPresent());
        calls.put("workflows", () -> assertThat(web.workflows().list(null, 10)).hasSize(1));
        calls.put(
                "workflow's jobs",
                () -> assertThat(web.workflows().jobs(workflow, "s", Long.MIN_VALUE, 10))
                        .hasSize(1));
        calls.put(
                "job's workflow",
                () -> assertThat(web.workflows().workflowOf(job)).isEmpty());
        calls.put("close a step", () -> web.workflows().close(workflow, "s"));
        calls.put("cancel a workflow", () -> web.workflows().cancel(workflow, "ada", null));
        addSearches(calls, job);
        addChanges(calls, job);
        return calls;
    }

    private void addSearches(Map<String, Runnable> calls, long job) {
        JobSearch search = web.search();
        JobFilter ended =
                JobFilter.where().ended(Instant.parse("2026-01-01T00:00:00Z"), Instant.parse("2026-01-02T00:00:00Z"));
        calls.put("find", () -> assertThat(search.find(job)).isPresent());
        calls.put("find by filter", () -> search.find(JobFilter.all(), Page.first(10)));
        calls.put("glance", () -> assertThat(search.glance(List.of(job))).hasSize(1));
        calls.put("explain", () -> assertThat(search.explain(job)).isPresent());
        calls.put("count", () -> search.count(JobFilter.all(), 10));
        calls.put("counts", search::counts);
        calls.put("claimed by", () -> search.claimedBy(1, Page.first(10)));
        calls.put("dead by error", () -> search.deadByError(JobFilter.all(), GroupPage.first(10)));
        calls.put("retrying by error", () -> search.retryingByError(JobFilter.all(), 10));
        calls.put("ended", () -> search.ended(ended, TimeStep.HOUR));
        calls.put("ended by queue", () -> search.endedByQueue(ended, TimeStep.HOUR));
        calls.put("failed attempts", () -> search.failedAttempts(Duration.ofHours(1)));
        calls.put("depths", search::depths);
        calls.put("figures", search::databaseFigures);
        calls.put("clock", search::clockDifference);
        calls.put("nodes", search::nodes);
        calls.put("loads", search::loads);
    }

    private void addChanges(Map<String, Runnable> calls, long job) {
        calls.put(
                "unique",
                () -> web.jobs()
                        .enqueueUnique(
                                new Work("unique"),
                                UniqueKey.of("k").untilStarted().replacing()));
        calls.put(
                "recurring",
                () -> web.recurringJobs().create(RecurringJob.of("r", Schedule.every(LONG), new Work("r"))));
        calls.put(
                "recurring now",
                () -> assertThat(web.recurringJobs().runNow("r")).isPresent());
        calls.put("recurring, paused", () -> web.recurringJobs().pause("r"));
        calls.put("recurring, all", () -> assertThat(web.recurringJobs().list()).hasSize(1));
        calls.put("limit", () -> web.limits().set(QueueLimit.of("default").maxRunning(1)));
        calls.put("limits", () -> web.limits().all());
        calls.put("weight", () -> web.limits().weight("default", "k", 2));
        calls.put("blocked keys", () -> web.limits().blockedKeys("default", 10));
        calls.put("full keys", () -> web.limits().fullKeys("default", 10));
        calls.put("skip", () -> web.limits().skip("default", "k"));
        JobAdmin admin = web.admin();
        calls.put("priority", () -> admin.changePriority(job, 5));
        calls.put("reschedule", () -> admin.reschedule(job, LONG));
        calls.put("run now", () -> admin.runNow(job));
        calls.put("edit", () -> admin.editPayloadUnchecked(job, "{\"what\":\"edited\"}"));
        calls.put("cancel", () -> admin.cancel(job));
        calls.put("cancel many", () -> admin.cancel(JobFilter.where().queue("none")));
        calls.put("bulk actions", () -> admin.bulkActions(null, 10));
        calls.put("pause", () -> admin.pause("none"));
        calls.put("pauses", admin::pauses);
        calls.put("audit", () -> admin.audit(null, 10));
    }

    @Test
    void futuresThatAreTakenInTheTransactionThatEnqueuedKnowTheEndAfterItsCommit() {
        rowlocks.started(Rowlocks.quick(database.dataSource()).listener(Work.class, (work, job) -> {}));
        record Futures(CompletableFuture<Void> job, CompletableFuture<?> workflow) {}

        Futures committed = transaction.execute(status -> new Futures(
                web.results().handle(web.jobs().enqueue(new Work("a"))).future(LONG),
                web.workflows().future(web.workflows().start(Workflow.named("w").step("s", new Work("b"))), LONG)));
        Futures rolledBack = transaction.execute(status -> {
            status.setRollbackOnly();
            return new Futures(
                    web.results().handle(web.jobs().enqueue(new Work("a"))).future(LONG),
                    web.workflows()
                            .future(web.workflows().start(Workflow.named("w").step("s", new Work("b"))), LONG));
        });

        committed.job().join();
        assertThat(committed.workflow().join()).extracting("summary.state").isEqualTo(WorkflowState.COMPLETED);
        assertThatThrownBy(() -> rolledBack.job().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(NoSuchJobException.class);
        assertThatThrownBy(() -> rolledBack.workflow().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(NoSuchWorkflowException.class);
    }

    /** Others see nothing of the job as long as the transaction is open, and those who look for its end see that there is none. */
    @Test
    void aFutureOutlastsATransactionThatStaysOpen() {
        Rowlock two = rowlocks.built(Rowlocks.quick(database.dataSource()).enqueueOnly());
        TransactionTemplate ofTwo = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
        rowlocks.started(Rowlocks.quick(database.dataSource()).listener(Work.class, (work, job) -> {}));

        CompletableFuture<Void> future = ofTwo.execute(status -> {
            long id = two.jobs().enqueue(new Work("a"));
            CompletableFuture<Void> taken = two.results().handle(id).future(LONG);
            assertThatThrownBy(() -> two.results().handle(id).await(LONG)) // takes until looks have found nothing
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after its commit");
            assertThat(JdbcClient.create(database.dataSource())
                            .sql("SELECT count(*) FROM rowlock.ready")
                            .query(Integer.class)
                            .single())
                    .isOne();
            return taken;
        });

        future.join();
    }
}
