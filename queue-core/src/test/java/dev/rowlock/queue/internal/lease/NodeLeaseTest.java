package dev.rowlock.queue.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@PostgresTest(freshPerTest = true, migrated = true)
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

    @Test
    void aConnectionThatCannotBeConfiguredIsClosed(TestDatabase database) {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        DelegatingDataSource refusing = new DelegatingDataSource(database.unpooled()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                if (!Thread.currentThread().getName().equals("rowlock-lease")) {
                    return connection;
                }
                opened.incrementAndGet();
                return withoutNetworkTimeout(connection, closed);
            }
        };
        Duration heartbeat = LeaseSettings.defaults("test").heartbeat();
        try (TestNode node = new TestNode(database.dataSource(), refusing)) {
            node.lease(heartbeat.multipliedBy(6), heartbeat, 3).start();

            Awaitility.await().until(() -> closed.get() > 1);
        }
        assertThat(closed).hasValue(opened.get());
    }

    @Test
    void aNodeHasNoIdToClaimWithBeforeItHasHeardWhatIsPaused(TestDatabase database) throws SQLException {
        Rooms rooms = Rooms.emptyIn(database);
        Heard heard = new Heard();
        NodeLease lease = new NodeLease(
                LeaseSettings.defaults("test"),
                new NodeRow.Work(Map.of(Rooms.QUEUE, 10), null),
                database.unpooled(),
                rooms.database(),
                heard.listener(),
                Wakeups.NONE);
        heard.lease = lease;

        lease.runOnce();

        assertThat(heard.idWhenHeard).isZero();
        assertThat(heard.mayClaimAs).isPositive().isEqualTo(lease.nodeId());
    }

    private static final class Heard {

        private @Nullable NodeLease lease;
        private long idWhenHeard = -1;
        private long mayClaimAs;

        NodeLease.Listener listener() {
            return (NodeLease.Listener) Proxy.newProxyInstance(
                    NodeLeaseTest.class.getClassLoader(),
                    new Class<?>[] {NodeLease.Listener.class},
                    (self, method, arguments) -> {
                        switch (method.getName()) {
                            case "heard" ->
                                idWhenHeard = Objects.requireNonNull(lease).nodeId();
                            case "mayClaim" -> mayClaimAs = (long) arguments[0];
                            default -> {}
                        }
                        return null;
                    });
        }
    }

    private static Connection withoutNetworkTimeout(Connection connection, AtomicInteger closed) {
        return (Connection) Proxy.newProxyInstance(
                NodeLeaseTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("setNetworkTimeout")) {
                        throw new SQLException("no network timeouts here", "0A000");
                    }
                    if (method.getName().equals("close")) {
                        closed.incrementAndGet();
                    }
                    return method.invoke(connection, arguments);
                });
    }
}
