package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What the gauges of a node say while it works, and when it has stopped. */
@PostgresTest(freshPerTest = true)
class NodeMetricsTest {

    record Greet(String name) {}

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void aNodeThatRunsAJobShowsItsHandlersItsClaimsAndItsHeartbeat(TestDatabase database) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Rowlock rowlock = Rowlock.builder(database.dataSource())
                .listener(ListenerDefinition.of("Greet", (job, payload) -> {
                    begun.countDown();
                    mayEnd.await();
                    return null;
                }))
                .build();
        try (NodeMetrics metrics = new NodeMetrics(rowlock, registry)) {
            rowlock.start();
            rowlock.jobs().enqueue(new Greet("Ada"));
            begun.await();
            metrics.refresh();

            await().until(() -> gauge("rowlock.worker.active") == 1);
            assertThat(gauge("rowlock.worker.capacity")).isGreaterThan(1);
            await().until(() -> gauge("rowlock.node.beats") == 1 && gauge("rowlock.node.heartbeat.age") < 60);
            assertThat(gauge("rowlock.node.records")).isEqualTo(1);
            await().until(() -> claimed("rowlock.claims.jobs") == 1);
            assertThat(claimed("rowlock.claims")).isPositive();

            mayEnd.countDown();
            await().until(() -> gauge("rowlock.worker.active") == 0);
            rowlock.close();
            await().until(() -> gauge("rowlock.worker.capacity") == 0 && gauge("rowlock.node.beats") == 0);
        }
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double claimed(String name) {
        return registry.get(name).functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }
}
