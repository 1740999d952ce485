package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.LostAnswers;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class UnacknowledgedClaimsTest {

    public record Greet(String name) {}

    record Big(String text) {}

    @Test
    void aJobWhoseClaimWasCommittedButNeverAnsweredRunsAllTheSame(TestDatabase database) throws Exception {
        LostAnswers answers = new LostAnswers(database.dataSource());
        try (TestNode node = new TestNode(database, answers.dataSource())) {
            Semaphore gate = new Semaphore(0);
            node.listener(Greet.class, (context, payload) -> {
                        gate.acquire();
                        return context.attempt();
                    })
                    .start();
            long held = node.jobs.enqueue(new Greet("held"));
            node.awaitState(held, JobState.RUNNING);
            answers.loseTheNextClaim();
            long stranded = node.jobs.enqueue(new Greet("stranded"));
            answers.awaitLost();

            gate.release(2);

            node.awaitState(stranded, JobState.COMPLETED);
            assertThat(node.search.find(stranded).orElseThrow().result()).isEqualTo("1");
            node.awaitState(held, JobState.COMPLETED);
            assertThat(node.search.find(held).orElseThrow().crashes()).isZero();
        }
    }

    @Test
    void aLargePayloadArrivesWhenItsJobStarts(TestDatabase database) {
        try (TestNode node = new TestNode(database)) {
            node.listener(Big.class, (context, payload) -> payload.length()).start();
            StringBuilder incompressible = new StringBuilder();
            new java.util.Random(1).ints(300_000, 'a', 'z' + 1).forEach(incompressible::appendCodePoint);

            long id = node.jobs.enqueue(new Big(incompressible.toString()));
            node.awaitState(id, JobState.COMPLETED);

            assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("300011");
        }
    }
}
