package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is said where somebody sets a limit for a queue that nodes may not serve. */
@PostgresTest(migrated = true)
class UnservedLimitsTest {

    private final Rooms rooms;
    private final TransactionTemplate transaction;
    private final QueueLimits limits;
    private final LogLines log = new LogLines("dev.rowlock.queue.internal.gate.StoredQueueLimits");

    UnservedLimitsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
        limits = Rowlock.builder(database.dataSource()).build().limits();
    }

    @AfterEach
    void close() {
        log.close();
        rooms.execute("DELETE FROM rowlock.queue_limit");
        rooms.execute("DELETE FROM rowlock.key_weight");
    }

    @Test
    void aLimitOfAQueueThatNoNodeServesIsSetAndWarnedOfOnce() {
        rooms.node();

        limits.set(QueueLimit.of("mial").maxRunning(1));
        limits.by("ann", null).change("mial", limit -> limit.maxRunning(2));
        limits.weight("mial", "a", 2);
        limits.weight("male", "a", 2);

        assertThat(limits.find("mial")).contains(QueueLimit.of("mial").maxRunning(2));
        assertThat(log.lines())
                .containsExactly(
                        "WARN queue 'mial' has got a limit, and no node serves that queue now; nodes serve [mail]. If its name is misspelt, take it back",
                        "WARN queue 'male' has got a weight, and no node serves that queue now; nodes serve [mail]. If its name is misspelt, take it back");
    }

    @Test
    void theCallersTransactionGoesOn() {
        rooms.node();

        transaction.executeWithoutResult(status -> {
            limits.set(QueueLimit.of("mial").maxRunning(1));
            assertThat(log.lines()).hasSize(1);
            limits.weight("mail", "a", 2);
        });
        transaction.executeWithoutResult(status -> {
            limits.weight("mail", "a", 3);
            limits.set(QueueLimit.of("mial").maxRunning(3));
            status.setRollbackOnly();
        });

        assertThat(limits.find("mial")).contains(QueueLimit.of("mial").maxRunning(1));
        assertThat(limits.weights("mail")).containsEntry("a", 2);
    }

    @Test
    void nobodyIsWarnedOfAQueueThatANodeServesNorBeforeThereIsAnyNode() {
        limits.set(QueueLimit.of("mial").maxRunning(1));
        long node = rooms.node();
        limits.set(QueueLimit.of("mail").maxRunning(1));
        limits.weight("mail", "a", 2);
        limits.weight("mial", "a", 1);
        rooms.execute("UPDATE rowlock.node SET heartbeat_at = heartbeat_at - interval '1 day' WHERE id = " + node);
        limits.set(QueueLimit.of("mial").maxRunning(2));

        assertThat(log.lines()).isEmpty();
    }
}
