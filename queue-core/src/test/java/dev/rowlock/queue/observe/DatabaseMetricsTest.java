package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** From the table of figures to gauges. What is measured, MeasureDatabaseTest knows. */
@PostgresTest(freshPerTest = true, migrated = true)
class DatabaseMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void everyFigureOfTheLastMeasurementIsAGaugeUntilItIsGone(TestDatabase database) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        try (Rowlock rowlock = Rowlock.builder(database.dataSource()).build();
                DatabaseMetrics metrics = new DatabaseMetrics(rowlock.search(), registry)) {
            jdbc.sql("""
                            INSERT INTO rowlock.figure (name, detail, value, measured_at)
                            SELECT f.*, now() - interval '100 seconds' FROM (VALUES
                                ('horizon.transactions', 'slot', 1.0), ('horizon.transactions', 'standby', 2.0), ('transaction.age', '', 3.0),
                                ('dead.rows', 'ready', 4.0), ('table.size', 'done', 5.0), ('notification.usage', '', 0.5)) AS f
                            """).update();

            metrics.refresh();

            assertThat(value("rowlock.database.horizon.transactions", "holder", "slot"))
                    .isEqualTo(1);
            assertThat(value("rowlock.database.horizon.transactions", "holder", "standby"))
                    .isEqualTo(2);
            assertThat(value("rowlock.database.transaction.age")).isEqualTo(3);
            assertThat(value("rowlock.database.dead.rows", "table", "ready")).isEqualTo(4);
            assertThat(value("rowlock.database.table.size", "table", "done")).isEqualTo(5);
            assertThat(value("rowlock.database.notification.usage")).isEqualTo(0.5);
            assertThat(value("rowlock.database.snapshot.age")).isBetween(100.0, 200.0);
            assertThat(value("rowlock.database.clock.ahead")).isBetween(-1.0, 1.0);

            jdbc.sql("DELETE FROM rowlock.figure WHERE detail = 'standby'").update();
            metrics.refresh();
            assertThat(value("rowlock.database.horizon.transactions", "holder", "standby"))
                    .isNull();
            assertThat(value("rowlock.database.horizon.transactions", "holder", "slot"))
                    .isEqualTo(1);
        }
    }

    private @Nullable Double value(String name, String... tags) {
        Gauge gauge = registry.find(name).tags(tags).gauge();
        return gauge == null ? null : gauge.value();
    }
}
