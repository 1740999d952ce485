package dev.rowlock.queue.observe;

import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.spi.EnqueueCall;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs this process enqueues: {@code rowlock.jobs.enqueued{queue,type}}. Counts what calls that returned have asked for: also jobs whose
 * transaction rolls back afterwards, and in bulk those that a unique key kept out.
 *
 * <p>Names of queues may come from data. Beyond {@value #MOST} pairs of queue and type, all further jobs count as queue and type
 * {@value #OTHERS}.
 */
public final class EnqueueMetrics implements EnqueueInterceptor {

    /** So many pairs of queue and type have a counter of their own. */
    public static final int MOST = 200;

    /** The tags of all others. */
    public static final String OTHERS = "others";

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Key, Counter> counters = new ConcurrentHashMap<>();

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public EnqueueMetrics(MeterRegistry registry, Tag... tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
    }

    @Override
    public void intercept(EnqueueCall call, Runnable next) {
        next.run();
        if (call.answer().filter(Enqueued.KEPT::equals).isEmpty()) {
            call.parts().forEach(part -> counter(part.queue(), part.type()).increment(part.jobs()));
        }
    }

    private Counter counter(String queue, String type) {
        @Nullable Counter known = counters.get(new Key(queue, type));
        if (known != null) {
            return known;
        }
        Key key = counters.size() < MOST ? new Key(queue, type) : new Key(OTHERS, OTHERS);
        return counters.computeIfAbsent(key, this::register);
    }

    private Counter register(Key key) {
        return Counter.builder("rowlock.jobs.enqueued")
                .description("Jobs that this process has asked for")
                .tags(tags)
                .tags("queue", key.queue, "type", key.type)
                .register(registry);
    }

    private record Key(String queue, String type) {}
}
