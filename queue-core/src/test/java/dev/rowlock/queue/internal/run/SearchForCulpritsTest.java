package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionOperations;

/** The listener names one culprit in each call, and its transaction rolls back each time. */
@PostgresTest
class SearchForCulpritsTest {

    private static final int JOBS = 5;

    private final Database database;
    private final TestWorkplace place = new TestWorkplace();
    private final AtomicInteger calls = new AtomicInteger();
    private final List<Execution> jobs =
            LongStream.rangeClosed(1, JOBS).mapToObj(TestExecution::of).toList();

    SearchForCulpritsTest(TestDatabase test) {
        database = new Database(test.dataSource(), new Schema("rowlock"));
    }

    @Test
    void whatHasNotRunWhenTheSearchIsOverGoesBack() {
        run(Duration.ZERO);

        assertThat(calls).hasValue(1);
        assertThat(place.outcomes.get(jobs.get(0))).isInstanceOf(Outcome.Failed.class);
        assertThat(jobs.subList(1, JOBS))
                .allSatisfy(job -> assertThat(place.outcomes.get(job)).isInstanceOf(Outcome.Released.class));
    }

    @Test
    void untilThenTheListenerIsCalledAgainWithTheOthers() {
        run(Duration.ofHours(1));

        assertThat(calls).hasValue(JOBS - 1);
        assertThat(jobs.subList(0, JOBS - 1))
                .allSatisfy(job -> assertThat(place.outcomes.get(job)).isInstanceOf(Outcome.Failed.class));
        assertThat(place.outcomes.get(jobs.get(JOBS - 1))).isInstanceOf(Outcome.Completed.class);
    }

    private void run(Duration search) {
        ListenerDefinition listener = ListenerDefinition.ofChunks("Test", chunk -> {
                    calls.incrementAndGet();
                    throw new ChunkFailedException(Map.of(chunk.get(0).id(), new DoNotRetryException("this one")));
                })
                .batch(JOBS)
                .transactional(true);
        new ChunkRun(0, listener, place, invoker(listener), search).run(jobs);
    }

    private HandlerInvoker invoker(ListenerDefinition listener) {
        HandlerInvoker.Services services = new HandlerInvoker.Services(
                database,
                new ClaimStatements(database),
                new OutcomeStatements(database, true),
                new EnsureDonePartitions(database),
                new Deadlines("test"),
                Duration.ZERO,
                new Results(TestNode.codec(), Encryption.NONE, 1_000),
                TestNode.codec(),
                Extensions.JobLines.NONE);
        return new HandlerInvoker(
                List.of(listener), services, Extensions.NONE, TransactionOperations.withoutTransaction());
    }
}
