package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ManualNode;
import dev.rowlock.queue.spi.ManualNode.Attempt;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Jobs that run on the thread of whoever asks, within its transaction or without one. */
@PostgresTest(migrated = true, freshPerTest = true)
class ManualNodeTest {

    record Write(int number, boolean fails) {}

    private final DataSource pool;
    private final JdbcClient jdbc;
    private final TransactionTemplate transactions;
    private final AtomicReference<Thread> thread = new AtomicReference<>();
    private final Rowlock rowlock;

    ManualNodeTest(TestDatabase database) {
        this.pool = database.dataSource();
        this.jdbc = JdbcClient.create(pool);
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(pool));
        this.rowlock = Rowlock.builder(pool)
                .notifications(false)
                .listener(
                        Write.class,
                        options -> options.transactional(true).retry(RetryPolicy.fixed(Duration.ofHours(1))),
                        (write, job) -> {
                            thread.set(Thread.currentThread());
                            jdbc.sql("INSERT INTO written VALUES (?)")
                                    .param(write.number())
                                    .update();
                            if (write.fails() && job.attempt() == 1) {
                                throw new IllegalStateException("the first attempt fails");
                            }
                        })
                .build();
    }

    @BeforeEach
    void haveATable() {
        jdbc.sql("CREATE TABLE written (number int)").update();
    }

    @Test
    void withoutATransactionEachAttemptCommits() {
        long id = rowlock.jobs().enqueue(new Write(1, true));

        try (ManualNode node = rowlock.manualNode()) {
            assertThat(node.runNext())
                    .hasValueSatisfying(attempt -> assertThat(attempt.outcome()).isInstanceOf(Outcome.Retry.class));
            assertThat(node.runNext()).isEmpty();
            assertThat(written()).isZero();
            assertThat(state(id)).isEqualTo(JobState.WAITING);

            node.advance(Duration.ofHours(1));
            assertThat(node.runNext())
                    .hasValueSatisfying(
                            attempt -> assertThat(attempt.outcome()).isInstanceOf(Outcome.AlreadyCompleted.class));
        }

        assertThat(thread).hasValue(Thread.currentThread());
        assertThat(written()).isEqualTo(1);
        assertThat(state(id)).isEqualTo(JobState.COMPLETED);
        assertThat(jdbc.sql("SELECT count(*) FROM rowlock.node")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void withinATransactionNothingIsCommittedBeforeIt() {
        transactions.executeWithoutResult(status -> {
            long id = rowlock.jobs().enqueue(new Write(1, true));
            try (ManualNode node = rowlock.manualNode()) {
                assertThat(node.runNext().map(Attempt::outcome)).containsInstanceOf(Outcome.Retry.class);
                assertThat(written()).isZero();
                node.advance(Duration.ofHours(1));
                assertThat(node.runNext().map(Attempt::outcome)).containsInstanceOf(Outcome.AlreadyCompleted.class);
            }
            assertThat(status.isRollbackOnly()).isFalse();
            assertThat(written()).isEqualTo(1);
            assertThat(state(id)).isEqualTo(JobState.COMPLETED);
            status.setRollbackOnly();
        });

        assertThat(written()).isZero();
        assertThat(jdbc.sql("SELECT count(*) FROM rowlock.job")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void theTransactionMayBeCommitted() {
        long id = transactions.execute(status -> {
            long enqueued = rowlock.jobs().enqueue(new Write(1, false));
            try (ManualNode node = rowlock.manualNode()) {
                node.runNext();
            }
            return enqueued;
        });

        assertThat(written()).isEqualTo(1);
        assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aPausedQueueStaysAsItIs() {
        rowlock.jobs().enqueue(new Write(1, false));
        rowlock.admin().pause("default");

        try (ManualNode node = rowlock.manualNode()) {
            assertThat(node.runNext()).isEqualTo(Optional.empty());
        }
    }

    @Test
    void timeOnlyGoesOn() {
        try (ManualNode node = rowlock.manualNode()) {
            assertThatThrownBy(() -> node.advance(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whileThisProcessRunsJobsThereIsNone() {
        rowlock.start();
        try {
            assertThatThrownBy(rowlock::manualNode)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("runs its jobs by itself");
        } finally {
            rowlock.close();
        }
    }

    private long written() {
        return jdbc.sql("SELECT count(*) FROM written").query(Long.class).single();
    }

    private JobState state(long id) {
        return rowlock.search().find(id).orElseThrow().state();
    }
}
