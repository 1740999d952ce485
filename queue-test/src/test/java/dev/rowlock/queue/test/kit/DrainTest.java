package dev.rowlock.queue.test.kit;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.spi.ChunkInterceptor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.DrainResult;
import dev.rowlock.queue.test.RowlockTest;
import dev.rowlock.queue.test.TestJobs;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.context.transaction.TestTransaction;

@RowlockTest
@AutoConfigureEmbeddedPostgres
@Import({Work.class, DrainTest.Around.class})
@TestPropertySource(
        properties = {"rowlock.queues.tenants.in-order=hold", "rowlock.retry.jitter=0", "rowlock.queues.rated.rate=1/h"
        })
class DrainTest {

    /** Notes which types it was around. */
    static class Around implements JobInterceptor, ChunkInterceptor {

        final List<String> types = new ArrayList<>();

        @Override
        public @Nullable Object intercept(JobContext job, Invocation invocation) throws Exception {
            types.add(job.type());
            return invocation.proceed();
        }

        @Override
        public @Nullable Object intercept(List<JobContext> jobs, Invocation invocation) throws Exception {
            return invocation.proceed();
        }
    }

    @Autowired
    Rowlock rowlock;

    @Autowired
    Around around;

    @Autowired
    JobOperations queue;

    @Autowired
    TestJobs jobs;

    @Autowired
    Work work;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    JobSearch search;

    @Autowired
    Workflows workflows;

    @BeforeEach
    void reset() {
        work.ran.clear();
    }

    @AfterTransaction
    void aTestLeavesNothing() {
        for (String table :
                new String[] {"job", "node", "past_node", "schedule", "queue_limit", "workflow", "checkpoint"}) {
            assertThat(jdbc.sql("SELECT count(*) FROM rowlock." + table)
                            .query(Long.class)
                            .single())
                    .as(table)
                    .isZero();
        }
        assertThat(work.notes()).isEmpty();
    }

    @Test
    void aJobRunsOnTheTestsThreadAndInItsTransaction() {
        long id = queue.enqueue(new Work.InTransaction(7, false));

        DrainResult result = jobs.drain();

        assertThat(result.completed()).isEqualTo(1);
        assertThat(work.notes()).containsExactly(7);
        assertThat(TestTransaction.isActive()).isTrue();
        assertThat(TestTransaction.isFlaggedForRollback()).isTrue();
        assertThat(search.find(id).orElseThrow().result()).isEqualTo("\"number 7\"");
    }

    @Test
    void interceptorsStandAroundIt() {
        around.types.clear();
        queue.enqueue(new Work.Plain(7, false));

        jobs.drain().requireSuccess();

        assertThat(around.types).containsExactly("Plain");
    }

    @Test
    void aPlainListenerThatFailsIsRolledBackAndItsRetryRecorded() {
        long id = queue.enqueue(new Work.Plain(7, true));

        DrainResult result = jobs.drain();

        assertThat(result.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("the first attempt fails"));
        assertThat(work.notes()).isEmpty();
        assertThat(search.find(id).orElseThrow().errors()).hasSize(1);
        assertThat(jobs).hasEnqueued(Work.Plain.class).inState(JobState.WAITING).afterAttempts(1);

        jobs.advance(ofSeconds(1));
        jobs.drain().requireSuccess();

        assertThat(work.notes()).containsExactly(7);
        assertThat(jobs).hasCompleted(Work.Plain.class).afterAttempts(2).once();
    }

    @Test
    void aTransactionalListenerThatFailsLeavesTheTestsTransactionUsable() {
        jdbc.sql("INSERT INTO note VALUES (1)").update();
        queue.enqueue(new Work.InTransaction(7, true));

        jobs.drain();
        assertThat(work.notes()).containsExactly(1);
        jobs.advance(ofSeconds(1));
        jobs.drain().requireSuccess();

        assertThat(work.notes()).containsExactly(1, 7);
    }

    @Test
    void aDelayedJobRunsOnceItsTimeHasCome() {
        queue.enqueue(new Work.InTransaction(7, false), o -> o.delay(ofDays(7)));
        assertThat(jobs).hasEnqueued(Work.InTransaction.class).delayedBy(ofDays(7));

        jobs.advance(ofDays(6));
        assertThat(jobs.drain().ran()).isZero();
        jobs.advance(ofDays(1));

        assertThat(jobs.drain().ran()).isEqualTo(1);
    }

    @Test
    void aDrainThatDoesNotEndIsBounded() {
        queue.enqueue(new Work.Again(1));

        assertThatThrownBy(() -> jobs.drain(20))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("20 attempts")
                .hasMessageContaining("Again (");
        assertThat(jobs).hasCompleted(Work.Again.class).times(21);
    }

    @Test
    void whatWasSavedWithACheckpointStays() {
        queue.enqueue(new Work.InSteps(3));

        assertThat(jobs.drain().failed()).isEqualTo(1);
        assertThat(work.notes()).containsExactly(1, 2);
        jobs.advance(ofSeconds(1));
        jobs.drain().requireSuccess();

        assertThat(work.ran).containsExactly(1, 2, 3);
        assertThat(work.notes()).containsExactly(1, 2, 3);
    }

    @Test
    void aFailedStatementThatAListenerSwallowsIsExplained() {
        queue.enqueue(new Work.Swallows());

        assertThatThrownBy(jobs::drain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a statement of the listener failed, and the listener went on");

        assertThat(work.notes()).isEmpty();
    }

    @Test
    void jobsOfAKeyRunInOrderAlsoWhenTheFirstFails() {
        queue.enqueue(new Work.OfTenant(1), o -> o.key("a"));
        queue.enqueue(new Work.OfTenant(2), o -> o.key("a"));
        queue.enqueue(new Work.OfTenant(3), o -> o.key("b"));

        jobs.drain();
        assertThat(work.ran).containsExactly(new Work.OfTenant(3));
        jobs.advance(ofSeconds(1));
        jobs.drain();

        assertThat(work.ran).containsExactly(new Work.OfTenant(3), new Work.OfTenant(1), new Work.OfTenant(2));
    }

    @Test
    void ratesAreKept() {
        queue.enqueue(new Work.Rated(1));
        queue.enqueue(new Work.Rated(2));

        assertThat(jobs.drain().ran()).isEqualTo(1);
        assertThat(jobs.drain().ran()).isZero();
        jobs.advance(ofHours(1));

        assertThat(jobs.drain().ran()).isEqualTo(1);
    }

    @Test
    void stepsOfAWorkflowRunInTheSameDrain() {
        workflows.start(Workflow.named("two")
                .step("first", new Work.InTransaction(1, false))
                .step("second", new Work.InTransaction(2, false), step -> step.after("first")));

        assertThat(jobs.drain().requireSuccess().ran()).isEqualTo(2);

        assertThat(work.notes()).containsExactly(1, 2);
    }

    @Test
    void aChunkListenerGetsOneJobAtATime() {
        queue.enqueueAll(List.of(new Work.Together(1), new Work.Together(2)));

        assertThat(jobs.drain().completed()).isEqualTo(2);
        assertThat(work.ran).containsExactly(new Work.Together(1), new Work.Together(2));
    }

    @Test
    void aUniqueKeyHoldsForItsTime() {
        UniqueKey key = UniqueKey.of("7").atLeast(ofHours(1));
        queue.enqueue(new Work.InTransaction(7, false), o -> o.unique(key));
        jobs.drain().requireSuccess();

        assertThat(queue.enqueueUnique(new Work.InTransaction(8, false), key).created())
                .isFalse();
        jobs.advance(ofHours(1));

        assertThat(queue.enqueueUnique(new Work.InTransaction(8, false), key).created())
                .isTrue();
    }

    @Test
    void settingsOfTheTestsTransactionStayAsTheyWere() {
        jdbc.sql("SET LOCAL statement_timeout = '17s'").update();
        queue.enqueue(new Work.InTransaction(7, true));

        jobs.drain();

        assertThat(jdbc.sql(
                                "SELECT current_setting('statement_timeout') || current_setting('enable_seqscan') || current_setting('lock_timeout')")
                        .query(String.class)
                        .single())
                .isEqualTo("17son0");
    }

    @Test
    void noThreadIsStarted() {
        // Those of other tests' contexts go on in this JVM.
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        queue.enqueue(new Work.InTransaction(7, false));
        jobs.drain();

        assertThat(rowlock.status().state()).isEqualTo(NodeStatus.State.STOPPED);
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("rowlock"));
    }
}
