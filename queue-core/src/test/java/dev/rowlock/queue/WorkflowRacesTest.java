package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepOptions;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Somebody changes a job, or adds one, in the moment in which its step may run. */
@PostgresTest(freshPerTest = true, migrated = true)
class WorkflowRacesTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final TestDatabase database;
    private final Rowlock node;
    private final CountDownLatch adds = new CountDownLatch(1);

    WorkflowRacesTest(TestDatabase database) {
        this.database = database;
        this.node = rowlocks.built(Rowlocks.quick(database.dataSource()).listener(Task.class, this::run));
    }

    private void run(Task task, JobContext job) throws InterruptedException {
        switch (task.name()) {
            case "until something is added" -> adds.await();
            case "adds" -> node.workflows().add(job, afterItsStepIsReleased(new Task("added")));
            default -> {}
        }
        ran.add(task.name());
    }

    /** Read between the look at the step and the insert. */
    private List<Task> afterItsStepIsReleased(Task task) {
        return new AbstractList<>() {
            @Override
            public Task get(int index) {
                adds.countDown();
                await().atMost(LONG).until(() -> released() || somebodyWaits());
                return task;
            }

            @Override
            public int size() {
                return 1;
            }
        };
    }

    @AfterEach
    void stop() throws Exception {
        adds.countDown();
        rowlocks.close();
    }

    @Test
    void aJobWhosePriorityIsChangedAsItsStepIsReleasedRuns() throws SQLException {
        changedWhileItMoves(step -> step.after("first"));
    }

    @Test
    void aJobWhosePriorityIsChangedAsItsStepIsMovedRuns() throws SQLException {
        changedWhileItMoves(step -> step.after("first").job(job -> job.delay(Duration.ofMillis(1))));
    }

    @Test
    void aJobThatIsAddedAsItsStepIsReleasedRuns() {
        long id = node.workflows()
                .start(Workflow.named("race")
                        .step("first", new Task("until something is added"))
                        .each("second", List.of(new Task("adds"), new Task("other")), s -> s.after("first"))
                        .step("third", new Task("third"), s -> s.after("second")));
        WorkflowJob early =
                node.workflows().jobs(id, "second", Long.MIN_VALUE, 1).get(0);
        node.admin().runNow(early.id());

        node.start();

        await().atMost(LONG)
                .until(() -> node.workflows().find(id).orElseThrow().summary().state() == WorkflowState.COMPLETED);
        assertThat(ran)
                .containsExactlyInAnyOrder("until something is added", "adds", "other", "added", "third")
                .endsWith("third");
    }

    private void changedWhileItMoves(UnaryOperator<StepOptions> second) throws SQLException {
        node.workflows()
                .start(Workflow.named("race")
                        .step("first", new Task("first"))
                        .step("second", new Task("second"), second));

        try (Connection somebody = database.dataSource().getConnection();
                Statement statement = somebody.createStatement()) {
            somebody.setAutoCommit(false);
            statement.executeUpdate("UPDATE rowlock.waiting SET rank = -7 WHERE reason = 'parents'");
            int backend = backend(statement);
            node.start();
            await().atMost(LONG).until(() -> waitsFor(backend));
            somebody.commit();
        }

        await().atMost(LONG).until(() -> ran.equals(List.of("first", "second")));
    }

    private static int backend(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private boolean released() {
        return is("EXISTS (SELECT FROM rowlock.workflow_step WHERE name = 'second' AND state = 'released')");
    }

    private boolean somebodyWaits() {
        return is(
                "EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0)");
    }

    private boolean is(String condition) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT " + condition)
                .query(Boolean.class)
                .single();
    }

    private boolean waitsFor(int backend) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid)))")
                .param(backend)
                .query(Boolean.class)
                .single();
    }
}
