package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.spi.PayloadException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A job's errors as they lie in its row: a JSON array that {@code with_error} appends to. Where there are keys, message and trace of an
 * entry are sealed. Its type and the method that threw it stay, because kinds of errors are told apart by them; both are names in code.
 */
public final class ErrorHistory {

    /** Stands where the message is sealed, whatever the key: else each key would make kinds of errors of its own. */
    public static final String SEALED = "(encrypted)";

    private static final Logger log = LoggerFactory.getLogger(ErrorHistory.class);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** As {@code thrown_by} finds it. */
    private static final Pattern FRAME = Pattern.compile("\\r?\\n\\s*at [^(\\n]+\\([^)\\n]*\\)");

    /** A message of so many characters may go on, as a frame for instance. */
    private static final int CUT = 2_000;

    private final Encryption encryption;

    public ErrorHistory(Encryption encryption) {
        this.encryption = encryption;
    }

    /** An entry on its way into the row of the job. Never throws: the outcome is recorded in any case. */
    public String encode(long job, JobError error) {
        ObjectNode node = JSON.createObjectNode().put("type", error.type());
        ObjectNode clear =
                JSON.createObjectNode().put("message", error.message()).put("trace", error.trace());
        try {
            if (!encryption.seals()) {
                return node.setAll(clear).toString();
            }
            JsonNode sealed = JSON.readTree(encryption.seal(Part.ERROR, job, clear.toString()));
            node.put("message", SEALED).put("trace", thrownBy(error)).setAll((ObjectNode) sealed);
        } catch (RuntimeException | Error e) { // keys may be code of the application
            log.warn("encrypting the error of job {} failed; its message and trace are not kept", job, e);
            node.put("message", "(not kept, because it could not be encrypted)").put("trace", "");
        }
        return node.toString();
    }

    /** The first frame, of which nothing is what the application says: it stands right behind the message. Empty where that cannot be told. */
    private static String thrownBy(JobError error) {
        String head = error.message().isEmpty() ? error.type() : error.type() + ": " + error.message();
        Matcher frame = FRAME.matcher(error.trace());
        return error.message().length() < CUT
                        && error.trace().startsWith(head)
                        && frame.find(head.length())
                        && frame.start() == head.length()
                ? frame.group().replace("\r", "")
                : "";
    }

    /** Oldest first; none for null. */
    public List<FailedAttempt> decode(long job, @Nullable String document) {
        List<FailedAttempt> errors = new ArrayList<>();
        if (document != null) {
            JSON.readTree(document).forEach(error -> errors.add(entry(job, error)));
        }
        return List.copyOf(errors);
    }

    /** One entry; null for null. */
    public @Nullable FailedAttempt decodeOne(long job, @Nullable String document) {
        return document == null ? null : entry(job, JSON.readTree(document));
    }

    private FailedAttempt entry(long job, JsonNode error) {
        JsonNode text = error.has(Encryption.MARK) ? opened(job, error) : error;
        return new Entry(
                error.path("attempt").asInt(),
                error.path("claimedAt").isString() ? instant(error.path("claimedAt")) : null,
                instant(error.path("at")),
                error.path("node").isNumber() ? error.path("node").asLong() : null,
                error.path("type").asString(),
                text.path("message").asString(),
                error.has("trace") ? text.path("trace").asString() : ""); // whoever asked without it gets none
    }

    /** As it lies there, if it cannot be opened. */
    private JsonNode opened(long job, JsonNode error) {
        ObjectNode envelope = JSON.createObjectNode();
        envelope.set(Encryption.MARK, error.get(Encryption.MARK));
        envelope.set(Encryption.DATA, error.path(Encryption.DATA));
        try {
            return JSON.readTree(encryption.open(Part.ERROR, job, envelope.toString()));
        } catch (PayloadException e) {
            log.debug("an error of job {} is not shown", job, e);
            return error;
        }
    }

    private static Instant instant(JsonNode time) {
        return OffsetDateTime.parse(time.asString()).toInstant();
    }

    private record Entry(
            int attempt,
            @Nullable Instant startedAt,
            Instant at,
            @Nullable Long nodeId,
            String type,
            String message,
            String trace)
            implements FailedAttempt {}
}
