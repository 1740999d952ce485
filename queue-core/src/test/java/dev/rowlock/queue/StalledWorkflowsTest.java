package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the doctor says of workflows that wait for somebody. */
@PostgresTest(freshPerTest = true, migrated = true)
class StalledWorkflowsTest {

    record Task(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final Rooms rooms;
    private final Rowlock rowlock;
    private final Workflows workflows;

    StalledWorkflowsTest(TestDatabase test) {
        rooms = Rooms.in(test.dataSource(), new Schema("rowlock"));
        rowlock = rowlocks.started(Rowlocks.quick(test.dataSource()).listener(Task.class, (task, job) -> {
            if (task.name().equals("fails")) {
                throw new DoNotRetryException("no");
            }
        }));
        workflows = rowlock.workflows();
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    private Finding examined() {
        return rowlock.doctor().examine().stream()
                .filter(finding -> finding.code().equals("stalled-workflows"))
                .findAny()
                .orElseThrow();
    }

    @Test
    void aWorkflowThatWaitsForARedriveIsNamedAfterTenMinutes() {
        long id = workflows.start(Workflow.named("cake")
                .step("bake", new Task("fails"))
                .step("ice", new Task("ice"), s -> s.after(RunsAfter.SUCCESS_OR_HOLD, "bake")));
        long bake = workflows.jobs(id, "bake", Long.MIN_VALUE, 1).get(0).id();
        Awaitility.await().until(() -> workflows.find(id).orElseThrow().counts().dead() == 1);
        assertThat(examined().status()).isEqualTo(Status.OK);

        rooms.execute("UPDATE rowlock.dead SET died_at = died_at - interval '11 minutes'");

        Finding finding = examined();
        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause())
                .startsWith("Workflow %d 'cake' has waited since ".formatted(id))
                .endsWith("when job %d of its step 'bake' died.".formatted(bake));
        workflows.cancel(id, "ann", null);
        Awaitility.await().until(() -> examined().status() == Status.OK);
    }

    @Test
    void anOpenStepWithNothingToDoIsNamedAfterADay() {
        long id = workflows.start(Workflow.named("import").each("rows", List.of(new Task("one")), s -> s.open()));
        long job = workflows.jobs(id, "rows", Long.MIN_VALUE, 1).get(0).id();
        Awaitility.await()
                .until(() -> rowlock.search().find(job).orElseThrow().state() == JobState.COMPLETED
                        && workflows.find(id).orElseThrow().counts().completed() == 1);
        assertThat(examined().status()).isEqualTo(Status.OK);

        rooms.execute("UPDATE rowlock.workflow SET started_at = started_at - interval '25 hours'");

        assertThat(examined().status()).isEqualTo(Status.WARN);
        assertThat(examined().cause())
                .startsWith("Workflow %d 'import' has run since ".formatted(id))
                .contains("all jobs of its step 'rows' have ended");
        workflows.add(id, "rows", List.of(new Task("fails")));
        workflows.close(id, "rows");
        Awaitility.await().until(() -> examined().status() == Status.OK);
    }
}
