package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.node.Effects;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Partitions of done that vanish under a running node, just before a job succeeds. */
@PostgresTest(freshPerTest = true, migrated = true)
class MissingPartitionTest extends NodeTest {

    private final AtomicInteger runs = new AtomicInteger();
    private Rooms rooms;

    @BeforeEach
    void look(TestDatabase database) {
        rooms = Rooms.in(database.unpooled(), new Schema("rowlock")); // not in the listener's transaction
    }

    @Test
    void noJobThatSucceededIsLostForWantOfAPartition() {
        // One thread: none of the others has been recorded when the first one drops what there is.
        node.concurrency(1)
                .listener(Greet.class, (context, payload) -> {
                    if (runs.incrementAndGet() == 1) {
                        rooms.dropDonePartitions();
                    }
                    return null;
                })
                .start();

        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, 50).mapToObj(i -> new Greet("g" + i)).toList());

        for (long id : ids) {
            node.awaitState(id, JobState.COMPLETED);
        }
        assertThat(runs).hasValue(50);
    }

    @Test
    void partitionsAreThereBeforeTheFirstJobBegins() {
        rooms.dropDonePartitions();
        node.listener(
                Greet.class,
                (context, payload) ->
                        rooms.number("SELECT count(*) FROM pg_inherits WHERE inhparent = 'rowlock.done'::regclass"));
        long id = node.jobs.enqueue(new Greet("Ada"));

        node.start();
        node.awaitState(id, JobState.COMPLETED);

        assertThat(Integer.parseInt(node.search.find(id).orElseThrow().result()))
                .isGreaterThanOrEqualTo(2);
    }

    @Test
    void aTransactionalListenerRunsAgainAtNoCost() {
        Effects effects = new Effects(node);
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            effects.add(context);
                            if (runs.incrementAndGet() == 1) {
                                rooms.dropDonePartitions();
                            }
                            return null;
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertCompletedAtFirstAttempt(id);
        assertThat(effects.count()).isEqualTo(1);
    }

    @Test
    void aListenerThatHidesItsFailedTransactionRunsAgainAtNoCost() {
        node.listener(Greet.class, (context, payload) -> {
                    if (runs.incrementAndGet() == 1) {
                        rooms.dropDonePartitions();
                    }
                    try {
                        node.transactions.executeWithoutResult(status -> context.completeInTransaction("done"));
                    } catch (RuntimeException e) {
                        return "not done";
                    }
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertCompletedAtFirstAttempt(id);
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"done\"");
    }

    @Test
    void aTransactionalListenersJobWaitsIfNoPartitionCanBeMade() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            rooms.execute("""
                                    CREATE OR REPLACE FUNCTION rowlock.ensure_done_partitions(days_ahead int) RETURNS void
                                    LANGUAGE plpgsql AS $$ BEGIN RAISE insufficient_privilege; END $$
                                    """);
                            rooms.dropDonePartitions();
                            return null;
                        },
                        TestNode::transactional)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.WAITING);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.attempt()).isZero();
        assertThat(job.errors()).isEmpty();
    }

    private void assertCompletedAtFirstAttempt(long id) {
        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.errors()).isEmpty();
        assertThat(runs).hasValue(2);
    }
}
