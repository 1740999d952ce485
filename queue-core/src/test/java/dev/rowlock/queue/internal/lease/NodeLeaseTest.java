package dev.rowlock.queue.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@PostgresTest(freshPerTest = true)
class NodeLeaseTest {

    @Test
    void aBeatThatFailsIsRepeatedSoonButNotAtOnce(TestDatabase database) {
        AtomicInteger asked = new AtomicInteger();
        DelegatingDataSource away = new DelegatingDataSource(database.unpooled()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (Thread.currentThread().getName().equals("rowlock-lease")) {
                    asked.incrementAndGet();
                    throw new SQLException("the database is away", "08001");
                }
                return super.getConnection();
            }
        };
        Duration heartbeat = LeaseSettings.defaults("test").heartbeat();
        try (TestNode node = new TestNode(database.dataSource(), away)) {
            node.lease(heartbeat.multipliedBy(6), heartbeat, 3).start();

            Awaitility.await().until(() -> asked.get() > 0);
            int before = asked.get();
            Awaitility.await().during(heartbeat.dividedBy(10)).atMost(heartbeat).until(() -> asked.get() <= before + 1);
            Awaitility.await().atMost(heartbeat).until(() -> asked.get() > before + 1);
        }
        assertThat(asked).hasPositiveValue();
    }
}
