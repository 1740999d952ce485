package dev.rowlock.queue.observe;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the timers few that handlers of observations make of {@code rowlock.job.enqueue}. Names of queues may come from data: beyond {@value
 * EnqueueMetrics#MOST} pairs of queue and type, all further calls count as queue and type {@value EnqueueMetrics#OTHERS}. Spans keep the names.
 * Thread-safe.
 */
public final class FewEnqueueTimers implements MeterFilter {

    private static final String QUEUE = "messaging.destination.name";
    private static final String TYPE = "rowlock.job.type";

    private final Set<Pair> own = ConcurrentHashMap.newKeySet();

    @Override
    public Meter.Id map(Meter.Id id) {
        if (!id.getName().startsWith("rowlock.job.enqueue")) {
            return id;
        }
        Pair pair = new Pair(id.getTag(QUEUE), id.getTag(TYPE));
        if (own.contains(pair) || own.size() < EnqueueMetrics.MOST && own.add(pair)) {
            return id;
        }
        return id.replaceTags(Tags.of(id.getTags()).and(others(QUEUE), others(TYPE)));
    }

    private static Tag others(String key) {
        return Tag.of(key, EnqueueMetrics.OTHERS);
    }

    private record Pair(@Nullable String queue, @Nullable String type) {}
}
