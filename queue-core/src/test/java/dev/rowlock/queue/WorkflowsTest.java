package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.RemoveOldWorkflows;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A workflow as a whole: how it begins, counts as a job of another one, and is removed. */
class WorkflowsTest extends WorkflowNodes {

    WorkflowsTest(TestDatabase database) {
        super(database);
    }

    @Test
    void whatCannotRunIsRefused() {
        assertThatThrownBy(() -> workflows.start(Workflow.named("circle")
                        .step("start", new Task("s"))
                        .step("a", new Task("a"), s -> s.after("b", "start"))
                        .step("b", new Task("b"), s -> s.after("a"))
                        .step("behind", new Task("c"), s -> s.after("b"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[a, b]");
        assertThatThrownBy(() -> workflows.start(Workflow.named("unknown").step("a", new Task("a"), s -> s.after("x"))))
                .hasMessageContaining("'x' that there is not");
        assertThatThrownBy(() -> Workflow.named("w").each("none", List.of())).hasMessageContaining("has no job");
        assertThatThrownBy(() -> Workflow.named("w").step("a", 1).step("a", 2)).hasMessageContaining("two steps 'a'");
        assertThat(workflows.list(null, 10)).isEmpty();
    }

    @Test
    void aWorkflowExistsIfItsTransactionCommits() {
        TransactionTemplate transaction =
                new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
        transaction.executeWithoutResult(status -> {
            workflows.start(diamond());
            status.setRollbackOnly();
        });
        assertThat(workflows.list(null, 10)).isEmpty();
        assertThat(first.search().count(JobFilter.all(), 10).jobs()).isZero();

        long id = transaction.execute(status -> workflows.start(diamond()));
        start();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
    }

    @Test
    void aWorkflowWithinAnotherCountsAsOneOfItsJobs() {
        held.put("inside", new CountDownLatch(1));
        start();
        long id = workflows.start(Workflow.named("outer")
                .step("nest", new Task("nested"))
                .step("after", new Task("after"), s -> s.after("nest")));
        await().atMost(LONG).until(() -> ran.contains("nested"));
        long inner = workflows.list(null, 10).get(0).id();
        assertThat(workflows.find(inner).orElseThrow().within()).isEqualTo(id);
        assertThat(ran).doesNotContain("after");

        held.get("inside").countDown();

        assertThat(ended(id).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(ran).containsExactly("nested", "inside", "after");
    }

    @Test
    void oldWorkflowsAreRemovedWithTheirJobs() {
        long id = workflows.start(diamond());
        first.start();
        ended(id);
        JdbcClient sql = JdbcClient.create(database.dataSource());
        RemoveOldWorkflows remove = new RemoveOldWorkflows(new Database(database.dataSource(), new Schema("rowlock")));
        await().atMost(LONG)
                .until(() -> sql.sql("SELECT count(*) FROM rowlock.retention")
                                .query(Long.class)
                                .single()
                        > 0);
        assertThat(remove.run()).isFalse();

        sql.sql("UPDATE rowlock.workflow SET ended_at = ended_at - interval '400 days'")
                .update();

        assertThat(remove.run()).isTrue();
        assertThat(workflows.find(id)).isEmpty();
        assertThat(sql.sql(
                                "SELECT (SELECT count(*) FROM rowlock.workflow_job) + (SELECT count(*) FROM rowlock.workflow_step)"
                                        + " + (SELECT count(*) FROM rowlock.workflow_edge)")
                        .query(Long.class)
                        .single())
                .isZero();
    }
}
