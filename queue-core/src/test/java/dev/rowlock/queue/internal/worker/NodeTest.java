package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Gives each test a database and a node of its own, not yet started, and closes it afterwards.
 */
@PostgresTest(freshPerTest = true)
abstract class NodeTest {

    record Greet(String name) {}

    TestNode node;

    @BeforeEach
    void prepare(TestDatabase database) {
        node = new TestNode(database);
    }

    @AfterEach
    void close() {
        node.close();
    }
}
