package dev.rowlock.queue.test.kit;

import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.AutoConfigureRowlock.Mode;
import dev.rowlock.queue.test.TestJobs;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@AutoConfigureRowlock(mode = Mode.BACKGROUND)
@AutoConfigureEmbeddedPostgres
@Import(Work.class)
class BackgroundTest {

    @Autowired
    JobOperations queue;

    @Autowired
    TestJobs jobs;

    @Autowired
    Work work;

    @Autowired
    Workflows workflows;

    @Autowired
    JobAdmin admin;

    /** Of no test method. */
    @BeforeAll
    static void enqueueBeforeAll(@Autowired JobOperations queue) {
        queue.enqueue(new Work.InTransaction(99, false));
    }

    @Test
    void itWaitsForJobsAndForWhatTheyLeadTo() {
        queue.enqueue(new Work.Plain(1, true)); // a retry a second later
        workflows.start(Workflow.named("two")
                .step("first", new Work.InTransaction(11, false))
                .step("second", new Work.InTransaction(12, false), step -> step.after("first")));
        queue.enqueue(new Work.InTransaction(13, false), o -> o.delay(ofDays(1)));

        jobs.awaitIdle();

        assertThat(work.notes()).contains(1, 11, 12).doesNotContain(13);
        assertThat(jobs).hasEnqueued(Work.InTransaction.class).times(3);
    }

    record Nobodys() {}

    @Test
    void whatIsStillThereIsNamed() {
        long id = queue.enqueue(new Nobodys(), o -> o.queue("nobodys"));

        assertThatThrownBy(() -> jobs.awaitIdle(Duration.ZERO))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not idle after PT0S")
                .hasMessageContaining("job %d: Nobodys on queue 'nobodys', ready".formatted(id));

        admin.cancel(id);
        jobs.awaitIdle();
    }

    @Test
    @Transactional
    void inATransactionNobodyWouldEverCome() {
        assertThatThrownBy(jobs::awaitIdle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("awaitIdle() in a transaction");
    }

    @Test
    void itDoesNotDrain() {
        assertThatThrownBy(jobs::drain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("runs its jobs by itself");
    }
}
