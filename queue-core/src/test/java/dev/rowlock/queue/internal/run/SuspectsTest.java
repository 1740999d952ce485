package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.Others;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SuspectsTest extends NodeTest {

    record Suspect(String name) {}

    @Test
    void theNextSuspectStartsOnlyWhenTheOutcomeOfTheOneBeforeIsRecorded(TestDatabase database) throws SQLException {
        Queue<Long> started = new ConcurrentLinkedQueue<>();
        try (Connection holder = database.unpooled().getConnection()) {
            holder.setAutoCommit(false);
            node.listener(Suspect.class, (context, payload) -> {
                started.add(context.id());
                if (started.size() == 1) {
                    Others.lockRunning(holder, context.id());
                }
                return null;
            });
            long first = lastLife("first");
            long second = lastLife("second");

            node.start();
            awaitBlockedRecorder();
            node.awaitTwoHeartbeats();

            assertThat(started).hasSize(1);
            holder.rollback();
            node.awaitState(first, JobState.COMPLETED);
            node.awaitState(second, JobState.COMPLETED);
        }
    }

    @Test
    void theNextSuspectStartsOnceTheNodeHasSurvivedTheOneBeforeForAWhile() {
        Queue<Long> started = new ConcurrentLinkedQueue<>();
        CountDownLatch end = new CountDownLatch(1);
        node.listener(Suspect.class, (context, payload) -> {
            started.add(context.id());
            end.await();
            return null;
        });
        long first = lastLife("first");
        long second = lastLife("second");

        node.start();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> started.size() == 2);
        end.countDown();

        node.awaitState(first, JobState.COMPLETED);
        node.awaitState(second, JobState.COMPLETED);
        assertThat(started).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void aSuspectThatWaitsLongForItsTurnIsSetAsideForOthers() {
        CountDownLatch end = new CountDownLatch(1);
        node.listener(Suspect.class, (context, payload) -> {
            end.await();
            return null;
        });
        lastLife("first");
        lastLife("second");

        node.start();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(20))
                .until(() -> node.sql
                        .sql("SELECT EXISTS (SELECT FROM rowlock.waiting WHERE reason = 'crash' AND attempt = 0)")
                        .query(Boolean.class)
                        .single());

        end.countDown();
        node.awaitCount("done", 2);
    }

    private long lastLife(String name) {
        long id = node.jobs.enqueue(new Suspect(name));
        node.sql
                .sql("UPDATE rowlock.ready SET crashes = 2 WHERE id = ?")
                .param(id)
                .update();
        return id;
    }

    private void awaitBlockedRecorder() {
        Awaitility.await()
                .until(() -> node.elsewhere
                        .sql("SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0")
                        .query(Long.class)
                        .single()
                        .equals(1L));
    }
}
