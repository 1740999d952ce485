package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Small workflows go on while a large one keeps the same node busy. The server is slow with the large one, so that there is time to see it. */
@PostgresTest(freshPerTest = true, migrated = true)
class LargeWorkflowsTest {

    private static final Duration LONG = Duration.ofSeconds(100);
    private static final int JOBS = 12_000;
    private static final int STEPS = 40;

    record Task(String name) {}

    /** Nobody runs these. */
    record Row(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch largeBegins = new CountDownLatch(1);
    private final CountDownLatch smallGoesOn = new CountDownLatch(1);
    private final JdbcClient sql;
    private final Rowlock node;
    private final Workflows workflows;

    LargeWorkflowsTest(TestDatabase database) {
        sql = JdbcClient.create(database.dataSource());
        node = rowlocks.built(Rowlocks.quick(database.dataSource()).listener(Task.class, (task, job) -> run(task)));
        workflows = node.workflows();
        sql.sql("""
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_sleep(0.3);
                    RETURN NEW;
                END $$
                """).update();
    }

    private void run(Task task) throws InterruptedException {
        if (task.name().equals("large")) {
            largeBegins.await(1, TimeUnit.MINUTES);
        }
        if (task.name().equals("large fails")) {
            largeBegins.await(1, TimeUnit.MINUTES);
            throw new DoNotRetryException("as it is to");
        }
        if (task.name().equals("small")) {
            smallGoesOn.await(1, TimeUnit.MINUTES);
        }
    }

    @AfterEach
    void stop() throws Exception {
        largeBegins.countDown();
        smallGoesOn.countDown();
        rowlocks.close();
    }

    private void slow(String room, String when) {
        sql.sql(
                        "CREATE TRIGGER slow BEFORE INSERT ON rowlock.%s FOR EACH ROW WHEN (NEW.queue = 'nobody' AND %s) EXECUTE FUNCTION slow()"
                                .formatted(room, when))
                .update();
    }

    private void quick(String room) {
        sql.sql("DROP TRIGGER slow ON rowlock." + room).update();
    }

    private long small() {
        return workflows.start(Workflow.named("small")
                .step("a", new Task("small"))
                .step("b", new Task("b"), s -> s.after("a"))
                .each("c", List.of(new Task("c"), new Task("c")), s -> s.after("b"))
                .step("d", new Task("d"), s -> s.after("c")));
    }

    private static Workflow large(String first) {
        return Workflow.named("large")
                .step("first", new Task(first))
                .each(
                        "rows",
                        IntStream.range(0, JOBS).mapToObj(Row::new).toList(),
                        s -> s.after("first").job(o -> o.queue("nobody")));
    }

    private long in(String room) {
        return sql.sql("SELECT count(*) FROM rowlock.%s WHERE queue = 'nobody'".formatted(room))
                .query(Long.class)
                .single();
    }

    private void awaitSome(String room) {
        await().atMost(LONG).until(() -> in(room) > 0);
    }

    @Test
    void whileTheJobsOfALargeStepBecomeReady() throws Exception {
        workflows.start(large("large"));
        long small = small();
        slow("ready", "NEW.id % 1000 = 0");
        node.start();
        largeBegins.countDown();
        awaitSome("ready");

        smallGoesOn.countDown();

        assertThat(workflows.await(small, LONG).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(in("waiting")).isPositive();
        quick("ready");
        await().atMost(LONG).until(() -> in("ready") == JOBS);
    }

    @Test
    void whileALargeWorkflowIsCancelled() throws Exception {
        long large = workflows.start(large("large"));
        long small = small();
        slow("done", "NEW.id % 1000 = 0");
        node.start();
        workflows.cancel(large, "me", "to see it");
        awaitSome("done");

        smallGoesOn.countDown();

        assertThat(workflows.await(small, LONG).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(in("waiting")).isPositive();
        quick("done");
        largeBegins.countDown();
        assertThat(workflows.await(large, LONG).summary().state()).isEqualTo(WorkflowState.CANCELLED);
        assertThat(in("done")).isEqualTo(JOBS);
    }

    @Test
    void whileTheStepsOfALongChainAreSkipped() throws Exception {
        Workflow chain = Workflow.named("chain").step("0", new Task("large fails"));
        for (int step = 1; step <= STEPS; step++) {
            String before = String.valueOf(step - 1);
            chain = chain.step(
                    String.valueOf(step), new Row(step), s -> s.after(before).job(o -> o.queue("nobody")));
        }
        long large = workflows.start(chain);
        long small = small();
        slow("done", "true");
        node.start();
        largeBegins.countDown();
        awaitSome("done");

        smallGoesOn.countDown();

        assertThat(workflows.await(small, LONG).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(in("waiting")).isPositive();
        quick("done");
        assertThat(workflows.await(large, LONG).counts().skipped()).isEqualTo(STEPS);
    }
}
