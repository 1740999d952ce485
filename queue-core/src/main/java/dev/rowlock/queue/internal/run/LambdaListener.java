package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadHandler;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A listener whose code is a lambda.
 *
 * @param queue where it listens unless its options name another one
 * @param options change what it is otherwise
 */
public record LambdaListener<P>(
        String type,
        String queue,
        Class<P> payload,
        UnaryOperator<ListenerDefinition> options,
        PayloadHandler<? super P> handler)
        implements ListenerSource {

    private static final JobHandler NEVER_CALLED = (job, json) -> null;

    /** @throws IllegalArgumentException if it cannot be so */
    public LambdaListener {
        // Said here, and not at the start.
        queue = options.apply(definition(type, queue, RetryPolicy.DEFAULT, NEVER_CALLED))
                .queue();
    }

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        codec.check(payload);
        return List.of(options.apply(definition(type, queue, retry, (job, json) -> handle(codec, job, json)))
                .payload(payload));
    }

    private static ListenerDefinition definition(String type, String queue, RetryPolicy retry, JobHandler handler) {
        return ListenerDefinition.of(type, handler).queue(queue).retry(retry);
    }

    private @Nullable Object handle(PayloadCodec codec, JobContext job, String json) throws Exception {
        handler.handle(payload.cast(codec.decode(json, payload)), job);
        return null;
    }

    @Override
    public @Nullable String queueOf(String other) {
        return other.equals(type) ? queue : null;
    }
}
