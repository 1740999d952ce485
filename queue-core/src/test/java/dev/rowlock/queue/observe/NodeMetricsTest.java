package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the gauges of a node say while it works, and when it has stopped. */
@PostgresTest(freshPerTest = true, migrated = true)
class NodeMetricsTest {

    record Greet(String name) {}

    record Leave(String name) {}

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
            await().until(() -> registry.get("rowlock.worker.longest")
                            .tag("queue", "default")
                            .gauge()
                            .value()
                    > 0);
            await().until(() -> gauge("rowlock.node.beats") == 1 && gauge("rowlock.node.heartbeat.age") < 60);
            assertThat(gauge("rowlock.node.records")).isEqualTo(1);
            await().until(() -> claimed("rowlock.claims.jobs") == 1);
            assertThat(claimed("rowlock.claims")).isPositive();

            mayEnd.countDown();
            await().until(() -> gauge("rowlock.worker.active") == 0 && gauge("rowlock.worker.longest") == 0);
            rowlock.close();
            await().until(() -> gauge("rowlock.worker.capacity") == 0 && gauge("rowlock.node.beats") == 0);
        }
    }

    @Test
    void eachQueueHasFiguresOfItsOwn(TestDatabase database) throws Exception {
        CountDownLatch begun = new CountDownLatch(3);
        CountDownLatch mayEnd = new CountDownLatch(1);
        JobHandler hangs = (job, payload) -> {
            begun.countDown();
            mayEnd.await();
            return null;
        };
        Rowlock rowlock = Rowlock.builder(database.dataSource())
                .listener(ListenerDefinition.of("Greet", hangs).queue("door").concurrency(3))
                .listener(ListenerDefinition.of("Leave", hangs).queue("gate").concurrency(2))
                .build();
        try (rowlock;
                NodeMetrics metrics = new NodeMetrics(rowlock, registry)) {
            rowlock.start();
            rowlock.jobs().enqueueAll(List.of(new Greet("Ada"), new Greet("Bob")), JobOptions.NONE.queue("door"));
            rowlock.jobs().enqueue(new Leave("Eve"), o -> o.queue("gate"));
            begun.await();
            metrics.refresh();

            await().untilAsserted(() -> {
                assertThat(ofQueue("door")).containsExactly(2, 3, 2);
                assertThat(ofQueue("gate")).containsExactly(1, 2, 1);
            });

            mayEnd.countDown();
        }
    }

    /** Handlers that run, and may run, and jobs that were claimed. */
    private double[] ofQueue(String queue) {
        return new double[] {
            gauge("rowlock.worker.active", "queue", queue),
            gauge("rowlock.worker.capacity", "queue", queue),
            registry.get("rowlock.claims.jobs")
                    .tag("queue", queue)
                    .functionCounter()
                    .count()
        };
    }

    @Test
    void aChoreThatFailsIsShownUntilItSucceeds(TestDatabase database) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        Rowlock rowlock = Rowlock.builder(database.dataSource())
                .listener(Greet.class, (job, greet) -> {})
                .build();
        jdbc.sql("ALTER TABLE rowlock.figure RENAME TO planted").update();
        try (rowlock;
                NodeMetrics metrics = new NodeMetrics(rowlock, registry)) {
            rowlock.start();

            await().atMost(Duration.ofMinutes(1)).until(() -> failing(metrics, "figures") == 1);
            assertThat(failing(metrics, "depth")).isZero();

            jdbc.sql("ALTER TABLE rowlock.planted RENAME TO figure").update();
            await().atMost(Duration.ofMinutes(1)).until(() -> failing(metrics, "figures") == 0);
        }
    }

    @Test
    void outcomesThatCannotBeWrittenAreShownAndThoseSetAsideAmongThem(TestDatabase database) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        Rowlock rowlock = Rowlock.builder(database.dataSource())
                .listener(Greet.class, (job, greet) -> {})
                .build();
        // 42501: privileges lack, so the outcome can be written later.
        jdbc.sql(
                        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '42501'; END $$")
                .update();
        jdbc.sql(
                        "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW WHEN (new.payload::text LIKE '%Eve%') EXECUTE FUNCTION refuse()")
                .update();
        try (rowlock;
                NodeMetrics metrics = new NodeMetrics(rowlock, registry)) {
            rowlock.start();
            rowlock.jobs().enqueueAll(List.of(new Greet("Ada"), new Greet("Eve"), new Greet("Bob")));

            await().until(() -> gauge("rowlock.node.outcomes.aside") == 1);
            assertThat(gauge("rowlock.node.outcomes.unwritten")).isGreaterThanOrEqualTo(1);
            assertThat(gauge("rowlock.node.records")).isEqualTo(1);

            jdbc.sql("DROP TRIGGER refuse ON rowlock.done").update();
            await().until(() ->
                    gauge("rowlock.node.outcomes.aside") == 0 && gauge("rowlock.node.outcomes.unwritten") == 0);
        }
    }

    @Test
    void aNodeThatListensShowsThatItHears(TestDatabase database) {
        try (Rowlock hearing = Rowlock.builder(database.dataSource())
                        .listener(Greet.class, (job, greet) -> {})
                        .build();
                Rowlock deaf = Rowlock.builder(database.dataSource())
                        .listener(Greet.class, (job, greet) -> {})
                        .notifications(false)
                        .build();
                NodeMetrics ofHearing = new NodeMetrics(hearing, registry, Tag.of("node", "hearing"));
                NodeMetrics ofDeaf = new NodeMetrics(deaf, registry, Tag.of("node", "deaf"))) {
            hearing.start();
            deaf.start();

            await().until(() -> gauge("rowlock.node.hears", "node", "hearing") == 1);
            assertThat(gauge("rowlock.node.hears", "node", "deaf")).isZero();
            assertThat(ofHearing).isNotSameAs(ofDeaf);
        }
    }

    private double failing(NodeMetrics metrics, String chore) {
        metrics.refresh();
        Gauge gauge =
                registry.find("rowlock.chore.failing").tags("chore", chore).gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    private double claimed(String name) {
        return registry.get(name).functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }
}
