package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@PostgresTest(freshPerTest = true, migrated = true)
class EnqueueMetricsTest {

    record Greet(String name) {}

    record Charge(int number) {}

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final JobTemplate jobs;

    EnqueueMetricsTest(TestDatabase database) {
        jobs = Rowlock.builder(database.dataSource())
                .enqueueInterceptors(() -> List.of(new EnqueueMetrics(registry)))
                .build()
                .jobs();
    }

    @Test
    void jobsAreCountedByQueueAndTypeWhateverCallBringsThem() {
        jobs.enqueue(new Greet("a"));
        jobs.enqueueAll(List.of(new Greet("b"), new Greet("c")));
        jobs.enqueueEach(List.of(
                JobRequest.of(new Greet("d")),
                JobRequest.of(new Charge(1)),
                JobRequest.of(new Charge(2), o -> o.queue("money"))));

        assertThat(count("default", "Greet")).isEqualTo(4);
        assertThat(count("default", "Charge")).isEqualTo(1);
        assertThat(count("money", "Charge")).isEqualTo(1);
    }

    @Test
    void whatIsRefusedOrHeldByAUniqueKeyIsNotCounted() {
        jobs.enqueue(new Greet("a"), o -> o.unique("once"));
        jobs.enqueue(new Greet("b"), o -> o.unique("once"));
        assertThatThrownBy(() -> jobs.enqueue(new Greet("x".repeat(2_000_000)))).isInstanceOf(RuntimeException.class);

        assertThat(count("default", "Greet")).isEqualTo(1);
    }

    @Test
    void queuesThatComeFromDataMakeNoMetersWithoutEnd() {
        jobs.enqueueEach(IntStream.range(0, EnqueueMetrics.MOST + 50)
                .mapToObj(i -> JobRequest.of(new Greet("a"), o -> o.queue("tenant-" + i)))
                .toList());

        assertThat(registry.find("rowlock.jobs.enqueued").counters()).hasSize(EnqueueMetrics.MOST + 1);
        assertThat(count(EnqueueMetrics.OTHERS, EnqueueMetrics.OTHERS)).isEqualTo(50);
    }

    private double count(String queue, String type) {
        Counter counter = registry.find("rowlock.jobs.enqueued")
                .tags("queue", queue, "type", type)
                .counter();
        return counter == null ? 0 : counter.count();
    }
}
