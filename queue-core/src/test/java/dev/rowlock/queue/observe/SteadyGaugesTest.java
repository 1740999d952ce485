package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A gauge that is removed and added anew may be found twice by a scrape in that moment: Prometheus then gets an error. */
@PostgresTest(freshPerTest = true, migrated = true)
class SteadyGaugesTest {

    private record Greet(String name) {}

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void gaugesOfWhatIsStillThereChangeTheirValuesOnly(TestDatabase database) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        List<String> removed = new ArrayList<>();
        registry.config().onMeterRemoved(meter -> removed.add(meter.getId().getName()));
        Rowlock rowlock = Rowlock.builder(database.dataSource())
                .listener(Greet.class, (job, greet) -> {})
                .build();
        rowlock.admin().pause("mail");
        try (rowlock;
                NodeMetrics node = new NodeMetrics(rowlock, registry);
                QueueMetrics queues = new QueueMetrics(rowlock.search(), registry);
                DatabaseMetrics figures = new DatabaseMetrics(rowlock.search(), registry)) {
            List<Runnable> all = List.of(node::refresh, queues::refresh, figures::refresh);
            jdbc.sql(
                            "INSERT INTO rowlock.figure (name, detail, value, measured_at) VALUES ('transaction.age', '', 3, now())")
                    .update();
            jdbc.sql(
                            "INSERT INTO rowlock.depth (queue, room, jobs, oldest_at, measured_at) VALUES ('mail', 'ready', 5, now(), now())")
                    .update();
            all.forEach(Runnable::run);
            assertThat(value("rowlock.database.transaction.age")).isEqualTo(3);
            assertThat(value("rowlock.queue.jobs")).isEqualTo(5);
            assertThat(value("rowlock.paused")).isEqualTo(1);

            jdbc.sql("UPDATE rowlock.figure SET value = 4").update();
            jdbc.sql("UPDATE rowlock.depth SET jobs = 6").update();
            all.forEach(Runnable::run);

            assertThat(removed).isEmpty();
            assertThat(value("rowlock.database.transaction.age")).isEqualTo(4);
            assertThat(value("rowlock.queue.jobs")).isEqualTo(6);

            rowlock.admin().resume("mail");
            jdbc.sql("DELETE FROM rowlock.depth").update();
            all.forEach(Runnable::run);
            assertThat(removed)
                    .containsExactlyInAnyOrder("rowlock.paused", "rowlock.queue.jobs", "rowlock.queue.oldest.age");
        }
    }

    private double value(String name) {
        return registry.get(name).gauge().value();
    }
}
