package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A running node whose recorder cannot go on, because its pool throws what no code may throw. */
@PostgresTest(freshPerTest = true, migrated = true)
class BrokenRecorderTest {

    private static final String RECORDER = "rowlock-recorder";

    public record Greet(String name) {}

    @Test
    void aBrokenRecorderIsNamedInTheNodesHealthAndEndsItsHeartbeats(TestDatabase database) {
        try (TestNode node = new TestNode(database, new FailingForTheRecorder(database.unpooled()))) {
            node.listener(Greet.class, (context, payload) -> null);
            node.start();
            assertThat(node.status().broken()).isEmpty();

            node.jobs.enqueue(new Greet("whose outcome nobody writes down"));
            Awaitility.await().until(() -> node.status().broken().contains(RECORDER));
            Awaitility.await().until(() -> lastBeat(node).equals(lastBeatAfterTwoIntervals(node)));

            assertThat(node.status().beats()).isFalse();
            assertThat(node.status().broken()).containsExactly(RECORDER);
        }
    }

    private static String lastBeat(TestNode node) {
        return node.elsewhere
                .sql("SELECT heartbeat_at::text FROM rowlock.node")
                .query(String.class)
                .single();
    }

    /** By the server's clock; the test's node beats five times a second. */
    private static String lastBeatAfterTwoIntervals(TestNode node) {
        node.elsewhere.sql("DO 'BEGIN PERFORM pg_sleep(1); END'").update();
        return lastBeat(node);
    }

    private static final class FailingForTheRecorder extends DelegatingDataSource {

        FailingForTheRecorder(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (Thread.currentThread().getName().equals(RECORDER)) {
                throw FailingForTheRecorder.<RuntimeException>undeclared(
                        new Exception("neither runtime exception nor error"));
            }
            return super.getConnection();
        }

        @SuppressWarnings("unchecked")
        private static <E extends Exception> E undeclared(Exception e) throws E {
            throw (E) e;
        }
    }
}
