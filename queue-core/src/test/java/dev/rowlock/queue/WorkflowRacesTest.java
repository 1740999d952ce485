package dev.rowlock.queue;

import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepOptions;
import dev.rowlock.queue.workflow.Workflow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Somebody changes a job in the moment in which its step may run. */
@PostgresTest(freshPerTest = true)
class WorkflowRacesTest {

    private static final Duration LONG = Duration.ofSeconds(40);

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final TestDatabase database;
    private final Rowlock node;

    WorkflowRacesTest(TestDatabase database) {
        this.database = database;
        this.node = rowlocks.built(
                Rowlocks.quick(database.dataSource()).listener(Task.class, (task, job) -> ran.add(task.name())));
    }

    @AfterEach
    void stop() throws Exception {
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

    private boolean waitsFor(int backend) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid)))")
                .param(backend)
                .query(Boolean.class)
                .single();
    }
}
