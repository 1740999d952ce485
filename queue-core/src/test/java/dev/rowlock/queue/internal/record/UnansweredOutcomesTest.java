package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** As when a process of the server stands still with a page of a table: whoever needs that page gets no answer at all. */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class UnansweredOutcomesTest {

    public record Order(int number) {}

    private static final int JOBS = 50;
    private static final int BAD = 7;

    /** Longer than the statements of a batch may take until each counts as lost. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void anOutcomeThatGetsNoAnswerIsSetAsideAndHoldsUpNoOther(TestDatabase database) {
        WithheldAnswers answers = new WithheldAnswers(database.dataSource());
        try (TestNode node = new TestNode(database, answers.dataSource())) {
            node.listener(Order.class, (context, payload) -> null);
            long[] ids = enqueue(node);
            answers.withholdFor(ids[BAD]);
            node.start();

            awaitDone(node, JOBS - 1);
            Awaitility.await().atMost(PATIENCE).until(() -> node.status().setAside() == 1);
            assertThat(node.search.find(ids[BAD]).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            enqueue(node);
            awaitDone(node, 2 * JOBS - 1);

            answers.give();
            awaitDone(node, 2 * JOBS);
            Awaitility.await().until(() -> node.status().setAside() == 0);
            assertThat(node.status().unwritten()).isZero();
        }
    }

    private static long[] enqueue(TestNode node) {
        return node.jobs.enqueueAll(
                IntStream.range(0, JOBS).mapToObj(Order::new).toList());
    }

    private static void awaitDone(TestNode node, long jobs) {
        Awaitility.await().atMost(PATIENCE).until(() -> node.count("done") == jobs);
    }
}
