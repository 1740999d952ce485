package dev.rowlock.queue.internal.store;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A job's headers as they lie in its row: a JSON object of strings, of Rowlock's own making. No codec of the application has a part
 * in it, for not everybody who reads headers has one.
 */
public final class Headers {

    /** What has no UTF-8, such as half a surrogate pair, travels as an escape. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Headers() {}

    /** Null for none. */
    public static @Nullable String encode(Map<String, String> headers) {
        return headers.isEmpty() ? null : JSON.writeValueAsString(headers);
    }

    public static Map<String, String> decode(@Nullable String document) {
        if (document == null) {
            return Map.of();
        }
        Map<String, String> headers = new HashMap<>();
        JSON.readTree(document)
                .properties()
                .forEach(e -> headers.put(e.getKey(), e.getValue().asString()));
        return Map.copyOf(headers);
    }
}
