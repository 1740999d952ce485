package dev.rowlock.queue.observe;

import static java.util.stream.Collectors.toMap;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.QueueDepth;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How deep the queues are, as gauges: {@code rowlock.queue.jobs{queue,room}} for the live rooms and dead,
 * {@code rowlock.queue.oldest.age{queue}} in seconds (how long the longest-waiting job had been runnable then), and
 * {@code rowlock.queue.snapshot.age} in seconds. Reads the last measurement of the cluster each 15 s.
 */
public final class QueueMetrics implements AutoCloseable {

    private final JobSearch search;
    private final GaugeRows jobs;
    private final GaugeRows oldest;
    private final Refresh timer;
    private volatile double snapshotAge = Double.NaN; // seconds at readNanos
    private volatile long readNanos = System.nanoTime();

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public QueueMetrics(JobSearch search, MeterRegistry registry, Tag... tags) {
        this.search = search;
        this.jobs = new GaugeRows(MultiGauge.builder("rowlock.queue.jobs")
                .tags(Tags.of(tags))
                .description("Jobs in the live rooms and dead, as last measured for the whole cluster")
                .register(registry));
        this.oldest = new GaugeRows(MultiGauge.builder("rowlock.queue.oldest.age")
                .tags(Tags.of(tags))
                .description(
                        "How long the longest-waiting runnable job had been runnable at the measurement; 0 if none waited")
                .baseUnit("seconds")
                .register(registry));
        Gauge.builder("rowlock.queue.snapshot.age", this, QueueMetrics::age)
                .tags(Tags.of(tags))
                .description("How old the measurement behind rowlock.queue.* is")
                .baseUnit("seconds")
                .register(registry);
        this.timer = new Refresh(
                "rowlock-queue-metrics",
                this::refresh,
                "the depth of queues cannot be read; rowlock.queue.snapshot.age says how old the figures are");
    }

    public void start() {
        timer.start();
    }

    /** Reads the last measurement. Called by the timer, and by tests. */
    public void refresh() {
        List<QueueDepth> depths = search.depths();
        jobs.show(depths.stream().collect(toMap(depth -> Tags.of("queue", depth.queue(), "room", depth.room()), depth ->
                (double) depth.jobs())));
        oldest.show(depths.stream()
                .filter(depth -> depth.room().equals("ready"))
                .collect(toMap(depth -> Tags.of("queue", depth.queue()), depth -> seconds(depth.oldest()))));
        snapshotAge =
                depths.stream().mapToDouble(depth -> seconds(depth.age())).min().orElse(Double.NaN);
        readNanos = System.nanoTime();
    }

    private static double seconds(@Nullable Duration time) {
        return time == null ? 0 : time.toNanos() / 1e9;
    }

    private double age() {
        return snapshotAge + (System.nanoTime() - readNanos) / 1e9;
    }

    @Override
    public void close() {
        timer.close();
    }
}
