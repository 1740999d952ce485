package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A pool, or a wrapper around it, that leaves an interrupt on the thread that asked for a connection. */
@PostgresTest(freshPerTest = true, migrated = true)
class InterruptingPoolTest {

    public record Greet(String name) {}

    @Test
    void anInterruptingPoolEndsNoThreadOfANode(TestDatabase database) {
        try (TestNode node = new TestNode(database, new Interrupting(database.unpooled()))) {
            node.listener(Greet.class, (context, payload) -> null);
            node.start();
            Set<String> before = ours();
            node.awaitState(node.jobs.enqueue(new Greet("first")), JobState.COMPLETED);

            node.awaitTwoHeartbeats();
            long delayed = node.jobs.enqueue(new Greet("second"), o -> o.delay(Duration.ofMillis(50)));

            node.awaitState(delayed, JobState.COMPLETED);
            assertThat(ours()).containsAll(before);
            assertThat(before).isNotEmpty();
        }
    }

    @Test
    void anInterruptingPoolMakesNoThreadSpin(TestDatabase database) {
        Interrupting pool = new Interrupting(database.unpooled());
        try (TestNode node = new TestNode(database, pool)) {
            node.listener(Greet.class, (context, payload) -> null);
            node.start();
            node.awaitState(node.jobs.enqueue(new Greet("first")), JobState.COMPLETED);

            int before = pool.asked.get();
            node.awaitTwoHeartbeats();

            assertThat(pool.asked.get() - before)
                    .as("by polls and chores, not by loops without a rest")
                    .isLessThan(100);
        }
    }

    private static Set<String> ours() {
        return Set.copyOf(Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("rowlock-"))
                // A thread that asked a policy of another test: it ends some seconds after its last call.
                .filter(name -> !name.startsWith("rowlock-policy-call-"))
                .toList());
    }

    private static final class Interrupting extends DelegatingDataSource {

        private final AtomicInteger asked = new AtomicInteger();

        Interrupting(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            if (Thread.currentThread().getName().startsWith("rowlock-")) {
                asked.incrementAndGet();
                Thread.currentThread().interrupt();
            }
            return connection;
        }
    }
}
