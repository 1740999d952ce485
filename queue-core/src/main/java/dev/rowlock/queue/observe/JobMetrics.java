package dev.rowlock.queue.observe;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
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
    private final Counter rescued;
    private final Counter quarantined;

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public JobMetrics(MeterRegistry registry, Tag... tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
        this.rescued = rescuedCounter("false");
        this.quarantined = rescuedCounter("true");
    }

    /** Meters only count, and must be exact. */
    @Override
    public boolean immediate() {
        return true;
    }

    /** Makes its counters, at 0: of a counter that appears with its first event, rates miss that event. */
    @Override
    public void listening(ListenerDefinition listener) {
        lostCounter(listener.queue());
        unknownTypeCounter(listener.queue());
        for (String type : listener.types()) {
            failures(listener.queue(), type, "false");
            failures(listener.queue(), type, "true");
        }
    }

    @Override
    public void started(ClaimedJob job, Duration waited) {
        wait.computeIfAbsent(new Key(job.queue(), job.type(), ""), this::waitTimer)
                .record(waited);
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        if (outcome instanceof Outcome.UnknownType) {
            unknownTypeCounter(job.queue()).increment();
            return;
        }
        process.computeIfAbsent(new Key(job.queue(), job.type(), outcome.label()), this::processTimer)
                .record(took);
        if (outcome instanceof Outcome.Retry) {
            failures(job.queue(), job.type(), "false").increment();
        } else if (outcome instanceof Outcome.Failed) {
            failures(job.queue(), job.type(), "true").increment();
        }
    }

    @Override
    public void lost(ClaimedJob job) {
        lostCounter(job.queue()).increment();
    }

    @Override
    public void rescued(int jobs, int dead) {
        rescued.increment(jobs - dead);
        quarantined.increment(dead);
    }

    private Counter failures(String queue, String type, String terminal) {
        return failures.computeIfAbsent(new Key(queue, type, terminal), this::failureCounter);
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

    private Counter lostCounter(String queue) {
        return counter("rowlock.claims.lost", "Outcomes that were refused: their claims had been lost", "queue", queue);
    }

    private Counter unknownTypeCounter(String queue) {
        return counter(
                "rowlock.job.unknown.type", "Jobs put aside because no listener knows their type", "queue", queue);
    }

    private Counter rescuedCounter(String quarantine) {
        return counter(
                "rowlock.jobs.rescued", "Jobs of dead nodes that this node took back", "quarantined", quarantine);
    }

    private Counter counter(String name, String description, String key, String value) {
        return Counter.builder(name)
                .description(description)
                .tags(tags)
                .tag(key, value)
                .register(registry);
    }

    /** Found without building tags: the registry's own look-up costs more than the handler of a small job. */
    private record Key(String queue, String type, String detail) {}
}
