package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.ChunkPayloadHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A listener of chunks whose code is a lambda.
 *
 * @param queue where it listens unless its options name another one
 * @param options change what it is otherwise
 */
public record LambdaChunkListener<P>(
        String type,
        String queue,
        Class<P> payload,
        UnaryOperator<ListenerDefinition> options,
        ChunkPayloadHandler<P> handler)
        implements ListenerSource {

    private static final ChunkHandler NEVER_CALLED = jobs -> ChunkResult.ALL_COMPLETED;

    /** @throws IllegalArgumentException if it cannot be so */
    public LambdaChunkListener {
        // Said here, and not at the start.
        queue = options.apply(definition(type, queue, RetryPolicy.DEFAULT, NEVER_CALLED))
                .queue();
    }

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        codec.check(payload);
        return List.of(options.apply(definition(type, queue, retry, new Decoding<>(codec, payload, handler))));
    }

    private static ListenerDefinition definition(String type, String queue, RetryPolicy retry, ChunkHandler handler) {
        return ListenerDefinition.ofChunks(type, handler).queue(queue).retry(retry);
    }

    /** Reads payloads for the lambda. */
    private record Decoding<P>(PayloadCodec codec, Class<P> payload, ChunkPayloadHandler<P> handler)
            implements ChunkHandler {

        @Override
        public Object read(String json) {
            return codec.decode(json, payload);
        }

        @Override
        @SuppressWarnings("unchecked") // the payloads are what read returned
        public ChunkResult handle(List<ChunkJob<Object>> jobs) throws Exception {
            return handler.handle((List<ChunkJob<P>>) (List<?>) jobs);
        }
    }

    @Override
    public @Nullable String queueOf(String other) {
        return other.equals(type) ? queue : null;
    }
}
