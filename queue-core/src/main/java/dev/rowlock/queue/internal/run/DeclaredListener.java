package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.ChunkPayloadHandler;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadHandler;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A single listener that the application has declared: as it is, or a lambda for the payloads of a class. */
public final class DeclaredListener implements ListenerSource {

    private static final JobHandler NEVER_CALLED = (job, json) -> null;
    private static final ChunkHandler NEVER_CALLED_WITH_CHUNKS = jobs -> ChunkResult.ALL_COMPLETED;

    private final String type;
    private final String queue;
    private final BiFunction<PayloadCodec, RetryPolicy, ListenerDefinition> definition;

    private DeclaredListener(
            String type, String queue, BiFunction<PayloadCodec, RetryPolicy, ListenerDefinition> definition) {
        this.type = type;
        this.queue = queue;
        this.definition = definition;
    }

    public static DeclaredListener of(ListenerDefinition listener) {
        return new DeclaredListener(listener.type(), listener.queue(), (codec, retry) -> listener);
    }

    /**
     * One job at a time.
     *
     * @param queue where it listens unless its options name another one
     * @param options change what it is otherwise
     * @throws IllegalArgumentException if it cannot be so
     */
    public static <P> DeclaredListener of(
            String type,
            String queue,
            Class<P> payload,
            UnaryOperator<ListenerDefinition> options,
            PayloadHandler<? super P> handler) {
        BiFunction<JobHandler, RetryPolicy, ListenerDefinition> made = (called, retry) ->
                options.apply(ListenerDefinition.of(type, called).queue(queue).retry(retry));
        // Made once before the start, so that what cannot be so is said here.
        String listened = made.apply(NEVER_CALLED, RetryPolicy.DEFAULT).queue();
        return new DeclaredListener(type, listened, (codec, retry) -> {
            codec.check(payload);
            JobHandler decoding = (job, json) -> {
                handler.handle(payload.cast(codec.decode(json, payload)), job);
                return null;
            };
            return made.apply(decoding, retry).payload(payload);
        });
    }

    /** Many jobs in one call. Otherwise as {@link #of(String, String, Class, UnaryOperator, PayloadHandler)}. */
    public static <P> DeclaredListener ofChunks(
            String type,
            String queue,
            Class<P> payload,
            UnaryOperator<ListenerDefinition> options,
            ChunkPayloadHandler<P> handler) {
        BiFunction<ChunkHandler, RetryPolicy, ListenerDefinition> made = (called, retry) -> options.apply(
                ListenerDefinition.ofChunks(type, called).queue(queue).retry(retry));
        String listened =
                made.apply(NEVER_CALLED_WITH_CHUNKS, RetryPolicy.DEFAULT).queue();
        return new DeclaredListener(type, listened, (codec, retry) -> {
            codec.check(payload);
            return made.apply(new Decoding<>(codec, payload, handler), retry);
        });
    }

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        return List.of(definition.apply(codec, retry));
    }

    @Override
    public @Nullable String queueOf(String other) {
        return other.equals(type) ? queue : null;
    }

    /** Reads payloads for a lambda that takes chunks. */
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
}
