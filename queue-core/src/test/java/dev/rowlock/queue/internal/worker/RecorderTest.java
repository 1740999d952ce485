package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecorderTest extends NodeTest {

    record Order(int number) {}

    @Test
    void aJobThatSomebodyHasLockedHoldsUpNobodyElse(TestDatabase database) throws SQLException {
        try (Connection business = database.unpooled().getConnection()) {
            business.setAutoCommit(false);
            node.listener(Order.class, (context, payload) -> {
                if (payload.contains(":7}")) {
                    TestNode.lockRunning(business, context.id());
                }
                return null;
            });
            long[] ids = node.jobs.enqueueAll(
                    IntStream.range(0, 50).mapToObj(Order::new).toList());

            node.start();
            long locked = ids[7];
            Arrays.stream(ids).filter(id -> id != locked).forEach(id -> node.awaitState(id, JobState.COMPLETED));

            assertThat(node.search.find(locked).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            business.rollback();
            node.awaitState(locked, JobState.COMPLETED);
            assertThat(node.search.find(locked).orElseThrow().attempt()).isEqualTo(1);
        }
    }
}
