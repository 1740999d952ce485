package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.spi.PayloadCodec;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks payloads that operators write by hand. Errors name fields and types, and nothing else of the payload. Thread-safe.
 */
public final class PayloadRules {

    private static final int SHOWN = 10;

    private final PayloadCodec codec;
    private final long maxBytes;
    private final Function<String, @Nullable Type> types;
    private final JsonMapper mapper = JsonMapper.shared();

    /**
     * @param maxBytes the largest payload, in UTF-8
     * @param types what payloads of a job type are decoded to; null where no listener of this process says
     */
    public PayloadRules(PayloadCodec codec, long maxBytes, Function<String, @Nullable Type> types) {
        this.codec = codec;
        this.maxBytes = maxBytes;
        this.types = types;
    }

    /**
     * Fails unless a payload may be stored at all.
     *
     * @throws IllegalArgumentException if it is no JSON document, null, or too large
     */
    public void requireStorable(@Nullable String json) {
        if (json == null) {
            throw new IllegalArgumentException("there is no payload: null cannot be stored");
        }
        long bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxBytes) {
            throw new IllegalArgumentException(
                    "a payload of %d bytes is larger than the allowed %d".formatted(bytes, maxBytes));
        }
        JsonNode tree = tree(json);
        if (tree.isMissingNode() || tree.isNull()) {
            throw new IllegalArgumentException(
                    "the payload is %s, which no job may have".formatted(tree.isNull() ? "the JSON null" : "empty"));
        }
    }

    /**
     * Fails unless the listener of the type could read the payload, and all of it.
     *
     * @throws IllegalArgumentException if no listener of this process has the type, or the payload has fields that its class has not
     * @throws dev.rowlock.queue.spi.PayloadException if it cannot be read as that class
     */
    public void requireReadable(String type, String json) {
        Type payload = types.apply(type);
        if (payload == null) {
            throw new IllegalArgumentException(
                    "no listener of this application has the type '%s', so its payload cannot be checked: call it where there is one, or editPayloadUnchecked"
                            .formatted(type));
        }
        TreeSet<String> unknown = new TreeSet<>();
        collectUnknown("$", tree(json), tree(codec.encode(codec.decode(json, payload))), unknown);
        if (!unknown.isEmpty()) {
            List<String> shown = unknown.stream().limit(SHOWN).toList();
            throw new IllegalArgumentException(
                    "the payload has fields that %s does not keep: %s%s. Correct their names, or call editPayloadUnchecked"
                            .formatted(payload.getTypeName(), shown, unknown.size() > SHOWN ? " and more" : ""));
        }
    }

    private JsonNode tree(String json) {
        try {
            return mapper.readTree(json);
        } catch (JacksonException e) {
            // No cause: it quotes the document.
            throw new IllegalArgumentException(
                    "the payload is no JSON document: it breaks off or is malformed at line %d, column %d"
                            .formatted(
                                    e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
        }
    }

    /** A field that is there and has a value, and is gone when it is written again, was not read. */
    private static void collectUnknown(String path, JsonNode given, JsonNode kept, TreeSet<String> unknown) {
        if (given.isObject() && kept.isObject()) {
            for (Map.Entry<String, JsonNode> field : given.properties()) {
                JsonNode other = kept.get(field.getKey());
                String name = path + "." + field.getKey();
                if (other != null) {
                    collectUnknown(name, field.getValue(), other, unknown);
                } else if (!field.getValue().isNull()) {
                    unknown.add(name);
                }
            }
        } else if (given.isArray() && kept.isArray()) {
            for (int i = 0; i < Math.min(given.size(), kept.size()); i++) {
                collectUnknown(path + "[]", given.get(i), kept.get(i), unknown);
            }
        }
    }
}
