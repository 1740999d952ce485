package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

/** How the doctor looks for workflows that wait for somebody. */
@PostgresTest(freshPerTest = true, migrated = true)
class WorkflowChecksTest {

    private final TestDatabase test;
    private final Rooms rooms;

    WorkflowChecksTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.in(test.dataSource(), new Schema("rowlock"));
    }

    @Test
    void itReadsNoTableAsAWhole() throws Exception {
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state, ended_at)"
                + " SELECT i, 'w', CASE WHEN i % 100 = 0 THEN 'running' ELSE 'completed' END,"
                + " CASE WHEN i % 100 > 0 THEN now() END FROM generate_series(100000, 115000) AS i");
        rooms.execute(
                "INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)"
                        + " SELECT i, s, 's' || s, 'released', false FROM generate_series(100000, 115000) AS i, generate_series(0, 1) AS s");
        rooms.execute("INSERT INTO rowlock.workflow_edge (workflow_id, parent_no, child_no, runs_after)"
                + " SELECT i, 0, 1, 'success-or-hold' FROM generate_series(100000, 115000) AS i");
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, state)"
                + " SELECT i, i, 0, 2 FROM generate_series(100000, 115000) AS i");
        rooms.execute("VACUUM ANALYZE rowlock.workflow");
        rooms.execute("VACUUM ANALYZE rowlock.workflow_step");
        rooms.execute("VACUUM ANALYZE rowlock.workflow_edge");
        rooms.execute("VACUUM ANALYZE rowlock.workflow_job");
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.CUSTOM)) {
            Examined.isSilent(explained.database(), check("stalled-workflows"));

            assertThat(explained.lastPlan())
                    .contains("workflow_open")
                    .doesNotContain("Seq Scan on workflow ", "Seq Scan on workflow_job", "Seq Scan on workflow_edge");
        }
    }
}
