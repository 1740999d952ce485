package dev.rowlock.queue.observe;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this node does with jobs, as meters.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code rowlock.job.process}</td><td>timer: time in the handler</td><td>queue, type, outcome</td></tr>
 * <tr><td>{@code rowlock.job.wait}</td><td>timer: from runnable to started</td><td>queue, type</td></tr>
 * <tr><td>{@code rowlock.job.failures}</td><td>counter: failed attempts</td><td>queue, type, terminal</td></tr>
 * <tr><td>{@code rowlock.job.unknown.type}</td><td>counter: jobs put aside because no listener knows their type</td><td>queue</td></tr>
 * <tr><td>{@code rowlock.claims.lost}</td><td>counter: outcomes that were refused</td><td>queue</td></tr>
 * <tr><td>{@code rowlock.jobs.rescued}</td><td>counter: jobs of dead nodes that this node took back</td><td>quarantined</td></tr>
 * </table>
 *
 * <p>Types are tags only where a listener knows them, so that nobody can make meters by enqueueing.
 */
public final class JobMetrics implements JobObserver {

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Key, Timer> process = new ConcurrentHashMap<>();
    private final Map<Key, Timer> wait = new ConcurrentHashMap<>();
    private final Map<Key, Counter> failures = new ConcurrentHashMap<>();

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public JobMetrics(MeterRegistry registry, Tag... tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
    }

    /** Meters only count, and must be exact. */
    @Override
    public boolean immediate() {
        return true;
    }

    @Override
    public void started(ClaimedJob job, Duration waited) {
        wait.computeIfAbsent(new Key(job.queue(), job.type(), ""), this::waitTimer)
                .record(waited);
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        if (outcome instanceof Outcome.UnknownType) {
            registry.counter("rowlock.job.unknown.type", tags.and("queue", job.queue()))
                    .increment();
            return;
        }
        process.computeIfAbsent(new Key(job.queue(), job.type(), outcome.label()), this::processTimer)
                .record(took);
        if (outcome instanceof Outcome.Retry) {
            failure(job, "false");
        } else if (outcome instanceof Outcome.Failed) {
            failure(job, "true");
        }
    }

    @Override
    public void lost(ClaimedJob job) {
        registry.counter("rowlock.claims.lost", tags.and("queue", job.queue())).increment();
    }

    @Override
    public void rescued(int jobs, int quarantined) {
        registry.counter("rowlock.jobs.rescued", tags.and("quarantined", "false"))
                .increment(jobs - quarantined);
        registry.counter("rowlock.jobs.rescued", tags.and("quarantined", "true"))
                .increment(quarantined);
    }

    private void failure(ClaimedJob job, String terminal) {
        failures.computeIfAbsent(new Key(job.queue(), job.type(), terminal), this::failureCounter)
                .increment();
    }

    private Timer processTimer(Key key) {
        return Timer.builder("rowlock.job.process")
                .description("Time in the handler")
                .tags(tags)
                .tags("queue", key.queue, "type", key.type, "outcome", key.detail)
                .register(registry);
    }

    private Timer waitTimer(Key key) {
        return Timer.builder("rowlock.job.wait")
                .description("Time from runnable to started")
                .tags(tags)
                .tags("queue", key.queue, "type", key.type)
                .register(registry);
    }

    private Counter failureCounter(Key key) {
        return Counter.builder("rowlock.job.failures")
                .description("Failed attempts; terminal ones moved their job to dead")
                .tags(tags)
                .tags("queue", key.queue, "type", key.type, "terminal", key.detail)
                .register(registry);
    }

    /** Found without building tags: the registry's own look-up costs more than the handler of a small job. */
    private record Key(String queue, String type, String detail) {}
}
