package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.RetryPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where listeners come from: lambdas, annotated objects, or the beans of an application. Thread-safe. */
public interface ListenerSource {

    /**
     * All listeners. Asked at each start.
     *
     * @param codec reads their payloads
     * @param retry for listeners that say nothing
     */
    List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry);

    /** The queue that the type's listener listens to; null if none of these listeners takes the type. */
    @Nullable
    String queueOf(String type);
}
