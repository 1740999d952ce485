package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A node that stops leaves nothing of its workflows to be found by others, who may not be there. */
@PostgresTest(freshPerTest = true, migrated = true)
class StoppedWorkflowsTest {

    private static final int ROWS = 2_500;

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch running = new CountDownLatch(1);
    private final JdbcClient sql;
    private final Rowlock node;

    StoppedWorkflowsTest(TestDatabase database) {
        sql = JdbcClient.create(database.dataSource());
        node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .worker(WorkerSettings.DEFAULT
                        .withFetch(new FetchSettings(Duration.ofMillis(200), Duration.ofMillis(250), 100))
                        .withDrainTimeout(Duration.ofMillis(100)))
                .listener(Task.class, (task, job) -> completesDuringTheStop(job)));
    }

    private void completesDuringTheStop(JobContext job) {
        running.countDown();
        boolean asked = false;
        while (!asked) {
            Thread.onSpinWait();
            asked = job.stopRequested();
        }
        Thread.interrupted(); // it completes all the same
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    private JobState state(long workflow, String step) {
        long job = node.workflows().jobs(workflow, step, 0, 1).get(0).id();
        return node.search().find(job).orElseThrow().state();
    }

    @Test
    void whatRunsAfterAJobThatCompletesDuringTheStopIsReady() throws Exception {
        long chain = node.workflows()
                .start(Workflow.named("chain")
                        .step("first", new Task("first"))
                        .step("next", new Task("next"), s -> s.after("first")));
        node.start();
        running.await();

        node.stop();

        assertThat(state(chain, "first")).isEqualTo(JobState.COMPLETED);
        assertThat(state(chain, "next")).isEqualTo(JobState.READY);
    }

    @Test
    void alsoIfThatAreManyJobs() throws Exception {
        long batch = node.workflows()
                .start(Workflow.named("batch")
                        .step("first", new Task("first"))
                        .each("rows", rows(), s -> s.after("first")));
        node.start();
        running.await();

        node.stop();

        assertThat(sql.sql("SELECT count(*) FROM rowlock.ready")
                        .query(Integer.class)
                        .single())
                .isEqualTo(ROWS);
    }

    private static List<Task> rows() {
        return IntStream.range(0, ROWS).mapToObj(i -> new Task("row")).toList();
    }
}
