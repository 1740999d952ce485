package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Gives each test a node of its own, not yet started, with empty rooms, and closes it afterwards. Who changes tables asks for a database for each
 * test as well.
 */
@PostgresTest(migrated = true)
public abstract class NodeTest {

    public record Greet(String name) {}

    public TestNode node;

    @BeforeEach
    void prepare(TestDatabase database) {
        Rooms.emptyIn(database);
        node = new TestNode(database);
    }

    @AfterEach
    void close() {
        node.close();
    }
}
