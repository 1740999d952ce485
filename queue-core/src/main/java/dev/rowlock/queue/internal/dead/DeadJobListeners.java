package dev.rowlock.queue.internal.dead;

import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.DeadJobHandler;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The listeners of a source, and for each that has an {@code onDead} one more, for the jobs that tell of its dead ones. */
public final class DeadJobListeners implements ListenerSource {

    private static final String SUFFIX = ".dead";

    private final ListenerSource source;

    public DeadJobListeners(ListenerSource source) {
        this.source = source;
    }

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        return source.listeners(codec, retry).stream()
                .flatMap(listener -> {
                    DeadJobHandler handler = listener.onDead();
                    return handler == null
                            ? Stream.of(listener)
                            : Stream.of(listener, onDead(listener, handler).retry(retry));
                })
                .toList();
    }

    @Override
    public @Nullable String queueOf(String type) {
        return source.queueOf(type);
    }

    private static ListenerDefinition onDead(ListenerDefinition listener, DeadJobHandler handler) {
        return ListenerDefinition.of(typeFor(listener), new Reading(handler))
                .id(listener.id() + SUFFIX)
                .name("onDead of " + listener.name())
                .autoStartup(listener.autoStartup())
                .queue(listener.queue())
                .concurrency(listener.concurrency())
                .timeout(listener.timeout())
                .transactional(listener.transactional())
                .transactions(listener.transactions());
    }

    private static String typeFor(ListenerDefinition listener) {
        return listener.type() + SUFFIX;
    }

    /**
     * A type of which somebody wants to be told.
     *
     * @param teller type of the jobs that tell
     * @param queue theirs: that of the listener, wherever the job died
     */
    record Told(String type, String teller, String queue) {}

    static List<Told> told(List<ListenerDefinition> listeners) {
        return listeners.stream()
                .filter(listener -> listener.onDead() != null)
                .flatMap(listener ->
                        listener.types().stream().map(type -> new Told(type, typeFor(listener), listener.queue())))
                .toList();
    }

    /** Reads what {@link TellOfDead} has written. */
    private record Reading(DeadJobHandler handler) implements JobHandler {

        /** Numbers of the payload stay as they are. */
        private static final JsonMapper JSON = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();

        @Override
        public @Nullable Object handle(JobContext context, String payload) throws Throwable {
            JsonNode told = JSON.readTree(payload);
            handler.handle(
                    context, dead(told.path("dead")), told.path("payload").toString());
            return null;
        }

        private static DeadJob dead(JsonNode job) {
            JsonNode error = job.path("error");
            return new DeadJob(
                    job.path("id").asLong(),
                    job.path("type").asString(),
                    job.path("queue").asString(),
                    job.path("quarantined").asBoolean(),
                    job.path("attempts").asInt(),
                    OffsetDateTime.parse(job.path("diedAt").asString()).toInstant(),
                    error.isObject() ? ErrorHistory.decodeOne(error.toString()) : null);
        }
    }
}
