package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.observe.JobMetrics;
import dev.rowlock.queue.observe.QueueMetrics;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestPostgres;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two Rowlocks in one process that listen to the same queue and type. */
@PostgresTest(freshPerTest = true, migrated = true)
class TwoRowlocksTest {

    record Greeting(String to) {}

    private final DataSource pool;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final Rowlocks rowlocks = new Rowlocks();

    TwoRowlocksTest(TestDatabase database) {
        this.pool = database.dataSource();
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void twoOnTwoSchemasOfOneDatabaseKnowNothingOfEachOther() throws InterruptedException {
        assertStrangers(quick(pool).schema("mine"), quick(pool).schema("theirs"));
    }

    @Test
    void twoOnTwoDatabasesKnowNothingOfEachOther() throws InterruptedException {
        TestDatabase other = rowlocks.opened(TestPostgres.newDatabase());

        assertStrangers(quick(pool), quick(other.dataSource()));
    }

    /** With observers of their own, and meters in one registry. */
    private void assertStrangers(RowlockBuilder oneBuilder, RowlockBuilder otherBuilder) throws InterruptedException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Recorded oneObserver = new Recorded();
        Recorded otherObserver = new Recorded();
        Rowlock one = rowlocks.started(oneBuilder
                .observer(oneObserver)
                .observer(new JobMetrics(registry, Tag.of("rowlock", "one")))
                .listener(Greeting.class, (greeting, job) -> heard.add("one " + greeting.to())));
        Rowlock other = rowlocks.started(otherBuilder
                .observer(otherObserver)
                .observer(new JobMetrics(registry, Tag.of("rowlock", "other")))
                .listener(Greeting.class, (greeting, job) -> heard.add("other " + greeting.to())));
        rowlocks.opened(new QueueMetrics(one.search(), registry, Tag.of("rowlock", "one")));
        rowlocks.opened(new QueueMetrics(other.search(), registry, Tag.of("rowlock", "other")));

        one.jobs().enqueue(new Greeting("Ada"));
        assertThat(next()).isEqualTo("one Ada");
        other.jobs().enqueue(new Greeting("Bob"));
        assertThat(next()).isEqualTo("other Bob");
        oneObserver.await("started", "finished completed");
        otherObserver.await("started", "finished completed");
        other.admin().pause("default");
        other.stop();
        one.jobs().enqueue(new Greeting("Cleo"));
        assertThat(next()).isEqualTo("one Cleo");
        oneObserver.await("started", "finished completed", "started", "finished completed");

        assertThat(otherObserver.events).hasSize(2);
        assertThat(one.admin().pauses()).isEmpty();
        assertThat(other.admin().pauses()).hasSize(1);
        assertThat(one.search().counts()).extracting(JobCount::jobs).containsExactly(2L);
        assertThat(other.search().counts()).extracting(JobCount::jobs).containsExactly(1L);
        assertThat(registry.get("rowlock.job.process")
                        .tags("rowlock", "one")
                        .timer()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("rowlock.job.process")
                        .tags("rowlock", "other")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.find("rowlock.queue.snapshot.age").gauges()).hasSize(2);
    }

    private String next() throws InterruptedException {
        return String.valueOf(heard.poll(20, TimeUnit.SECONDS));
    }

    private static final class Recorded implements JobObserver {

        private final Queue<String> events = new ConcurrentLinkedQueue<>();

        @Override
        public void started(ClaimedJob job, Duration waited) {
            events.add("started");
        }

        @Override
        public void finished(ClaimedJob job, Outcome outcome, Duration took) {
            events.add("finished " + outcome.label());
        }

        void await(String... expected) {
            Awaitility.await().untilAsserted(() -> assertThat(events).containsExactlyInAnyOrder(expected));
        }
    }
}
