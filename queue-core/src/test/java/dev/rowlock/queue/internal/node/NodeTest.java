package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Gives each test a database and a node of its own, not yet started, and closes it afterwards.
 */
@PostgresTest(freshPerTest = true, migrated = true)
public abstract class NodeTest {

    public record Greet(String name) {}

    public TestNode node;

    @BeforeEach
    void prepare(TestDatabase database) {
        node = new TestNode(database);
    }

    @AfterEach
    void close() {
        node.close();
    }
}
