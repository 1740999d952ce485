package dev.rowlock.queue.internal.dead;

import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.DeadJobHandler;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The listeners of a source, and for each that has an {@code onDead} one more, for the jobs that tell of its dead ones. */
public final class DeadJobListeners implements ListenerSource {

    private static final String SUFFIX = ".dead";

    private final ListenerSource source;
    private final Encryption encryption;

    public DeadJobListeners(ListenerSource source, Encryption encryption) {
        this.source = source;
        this.encryption = encryption;
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

    private ListenerDefinition onDead(ListenerDefinition listener, DeadJobHandler handler) {
        return ListenerDefinition.of(typeFor(listener), new Reading(handler, encryption))
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
        String type = listener.type() + SUFFIX;
        if (type.length() > Names.MAX_LENGTH) {
            throw new InvalidJobListenerException(
                    "listener %s cannot have an onDead: the type of its jobs would be '%s', which has %d characters, and %d are allowed"
                            .formatted(listener.name(), type, type.length(), Names.MAX_LENGTH),
                    "Shorten the type of the listener to %d characters, and keep the longer one among its former types"
                            .formatted(Names.MAX_LENGTH - SUFFIX.length()));
        }
        return type;
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

    /** Reads what {@link TellOfDead} has written: payload and error are as they lay in the row of the dead job. */
    private record Reading(DeadJobHandler handler, Encryption encryption) implements JobHandler {

        /** Numbers of the payload stay as they are, and what the application's mapper has written is never too deep or too long. */
        private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(Integer.MAX_VALUE)
                                .maxStringLength(Integer.MAX_VALUE)
                                .maxNumberLength(Integer.MAX_VALUE)
                                .maxNameLength(Integer.MAX_VALUE)
                                .build())
                        .streamWriteConstraints(StreamWriteConstraints.builder()
                                .maxNestingDepth(Integer.MAX_VALUE)
                                .build())
                        .build())
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();

        @Override
        public @Nullable Object handle(JobContext context, String payload) throws Throwable {
            JsonNode told = JSON.readTree(payload);
            DeadJob dead = dead(told.path("dead"));
            handler.handle(
                    context,
                    dead,
                    encryption.open(Part.PAYLOAD, dead.type(), JSON.writeValueAsString(told.path("payload"))));
            return null;
        }

        private DeadJob dead(JsonNode job) {
            long id = job.path("id").asLong();
            JsonNode error = job.path("error");
            return new DeadJob(
                    id,
                    job.path("type").asString(),
                    job.path("queue").asString(),
                    job.path("quarantined").asBoolean(),
                    job.path("attempts").asInt(),
                    OffsetDateTime.parse(job.path("diedAt").asString()).toInstant(),
                    error.isObject() ? new ErrorHistory(encryption).decodeOne(id, error.toString()) : null);
        }
    }
}
