package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.workflow.DecideSteps.Decided;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Step 1 runs after the success of step 0. */
@PostgresTest(freshPerTest = true, migrated = true)
class EndWorkflowsTest {

    private static final StepKey FIRST = new StepKey(7, 0);
    private static final StepKey SECOND = new StepKey(7, 1);

    private final TestDatabase test;
    private final Rooms rooms;

    EndWorkflowsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    /** @param ended what has become of the two jobs of step 0, as noted */
    private void workflow(String state, int ended, String condition) {
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state) VALUES (7, 'w', '%s')".formatted(state));
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                VALUES (7, 0, 'first', 'released', false), (7, 1, 'second', 'skipped', false)
                """);
        rooms.execute("INSERT INTO rowlock.workflow_edge VALUES (7, 0, 1, '%s')".formatted(condition));
        rooms.execute("""
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, state)
                VALUES (1, 7, 0, 2), (2, 7, 0, %d), (3, 7, 1, 4)
                """.formatted(ended));
    }

    private String state() {
        return JdbcClient.create(test.dataSource())
                .sql("SELECT state FROM rowlock.workflow WHERE id = 7")
                .query(String.class)
                .single();
    }

    /** One node has noted the end of the redriven job, and another one looks before the first decides. */
    @Test
    void aWorkflowWhoseSkippedStepIsAboutToComeBackHasNotEnded() {
        workflow("failed", 2, "success");

        EndWorkflows end = new EndWorkflows(rooms.database());
        assertThat(end.find(List.of(7L))).containsExactly(7L);
        end.run(List.of(7L));

        assertThat(state()).isEqualTo("running");
        Decided decided = new DecideSteps(rooms.database()).after(List.of(new Touched(FIRST, false, false)), 20);
        assertThat(decided.released().moving()).containsExactly(SECOND);
    }

    @Test
    void aWorkflowWithAStepThatStaysSkippedHasSucceeded() {
        workflow("running", 2, "failure");

        new EndWorkflows(rooms.database()).run(List.of(7L));

        assertThat(state()).isEqualTo("completed");
    }

    @Test
    void aWorkflowWithAFailedJobHasFailed() {
        workflow("running", 1, "success");

        new EndWorkflows(rooms.database()).run(List.of(7L));

        assertThat(state()).isEqualTo("failed");
    }
}
