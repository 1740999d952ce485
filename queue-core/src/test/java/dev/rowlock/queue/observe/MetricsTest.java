package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.janitor.Measurements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@PostgresTest(freshPerTest = true, migrated = true)
class MetricsTest {

    public record Greet(String name) {}

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void depthIsWhatOneNodeMeasuredForAll(TestDatabase db) {
        Rowlock rowlock = Rowlock.builder(db.dataSource()).build();
        JobTemplate jobs = rowlock.jobs();
        QueueMetrics metrics = new QueueMetrics(rowlock.search(), registry);
        jobs.enqueueAll(List.of(new Greet("a"), new Greet("b")));
        jobs.enqueue(new Greet("c"), o -> o.delay(Duration.ofHours(1)));

        metrics.refresh();
        assertThat(registry.find("rowlock.queue.jobs").gauges()).isEmpty();
        new Measurements(new Database(db.dataSource(), new Schema("rowlock"))).depth();
        metrics.refresh();

        assertThat(registry.get("rowlock.queue.jobs")
                        .tags("queue", "default", "room", "ready")
                        .gauge()
                        .value())
                .isEqualTo(2);
        assertThat(registry.get("rowlock.queue.jobs")
                        .tags("queue", "default", "room", "waiting")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("rowlock.queue.oldest.age")
                        .tags("queue", "default")
                        .gauge()
                        .value())
                .isPositive();
        assertThat(registry.get("rowlock.queue.snapshot.age").gauge().value()).isNotNegative();
        metrics.close();
        rowlock.close();
    }

    @Test
    void jobsOfADeadNodeAreCountedByWhoTakesThemBack(TestDatabase db) {
        try (Rowlock rowlock = Rowlock.builder(db.dataSource())
                .listener(ListenerDefinition.of("send", (context, payload) -> null)
                        .queue("mail"))
                .observer(new JobMetrics(registry))
                .build()) {
            Rooms rooms = Rooms.in(db.dataSource(), new Schema("rowlock"));
            long killer = rooms.running(3).get(0).claim().jobId();
            rooms.sql("UPDATE rowlock.running SET crashes = 100, isolated = true WHERE id = ?")
                    .param(killer)
                    .update();
            rooms.execute("DELETE FROM rowlock.node");

            rowlock.start();

            await().until(() -> rescued("false") == 2 && rescued("true") == 1);
        }
    }

    private double rescued(String quarantined) {
        return registry.get("rowlock.jobs.rescued")
                .tags("quarantined", quarantined)
                .counter()
                .count();
    }

    @Test
    void countersStandAtZeroBeforeTheirFirstEvent(TestDatabase db) {
        ListenerDefinition mail = ListenerDefinition.of("send", (context, payload) -> null)
                .queue("mail")
                .formerTypes(List.of("mail"));
        try (Rowlock rowlock = Rowlock.builder(db.dataSource())
                .listener(mail)
                .observer(new JobMetrics(registry))
                .build()) {
            rowlock.start();

            assertThat(registry.getMeters().stream().map(MetricsTest::named))
                    .containsExactlyInAnyOrder(
                            "rowlock.claims.lost{queue=mail}",
                            "rowlock.job.unknown.type{queue=mail}",
                            "rowlock.jobs.rescued{quarantined=false}",
                            "rowlock.jobs.rescued{quarantined=true}",
                            "rowlock.job.failures{queue=mail, terminal=false, type=send}",
                            "rowlock.job.failures{queue=mail, terminal=true, type=send}",
                            "rowlock.job.failures{queue=mail, terminal=false, type=mail}",
                            "rowlock.job.failures{queue=mail, terminal=true, type=mail}");
            assertThat(registry.getMeters()).allSatisfy(meter -> {
                assertThat(((Counter) meter).count()).isZero();
                assertThat(meter.getId().getDescription()).isNotBlank();
            });
        }
    }

    private static String named(Meter meter) {
        return meter.getId().getName()
                + meter.getId().getTags().stream()
                        .map(tag -> tag.getKey() + "=" + tag.getValue())
                        .collect(Collectors.joining(", ", "{", "}"));
    }

    @Test
    void everyOutcomeIsTimedAndFailuresAreCountedByWhetherTheyAreFinal() {
        JobMetrics metrics = new JobMetrics(registry);
        ClaimedJob job = ClaimedJobs.of(1);
        JobError error = JobError.of("test", "no");

        metrics.started(job, Duration.ofMillis(7));
        metrics.finished(job, new Outcome.Completed(null), Duration.ofMillis(3));
        metrics.finished(job, new Outcome.Retry(Due.after(Duration.ofSeconds(1)), error, null), Duration.ofMillis(3));
        metrics.finished(job, new Outcome.Failed(error, null), Duration.ofMillis(3));
        metrics.finished(job, new Outcome.UnknownType(Duration.ofSeconds(1), Duration.ofSeconds(2)), Duration.ZERO);
        metrics.lost(job);

        assertThat(registry.get("rowlock.job.wait")
                        .tags("queue", "mail", "type", "send")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rowlock.job.process")
                        .tag("outcome", "completed")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rowlock.job.failures")
                        .tag("terminal", "true")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rowlock.job.failures")
                        .tag("terminal", "false")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rowlock.job.unknown.type").counter().count()).isEqualTo(1);
        assertThat(registry.get("rowlock.claims.lost").counter().count()).isEqualTo(1);
        assertThat(registry.find("rowlock.job.process")
                        .tag("outcome", "unknown-type")
                        .timer())
                .isNull();
    }
}
