package dev.rowlock.queue;

import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.lang.reflect.Type;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON by Jackson. The mapper must not have default typing: a payload's class comes from the listener's
 * signature, never from the document. What the mapper could write but would refuse to read, such as a number of more than
 * a thousand digits, is refused when it is written. Errors say what is wrong and where, without a word of the payload.
 */
public final class JacksonPayloadCodec implements PayloadCodec {

    private final JsonMapper mapper;
    private final ReadableJson readable;

    public JacksonPayloadCodec(JsonMapper mapper) {
        this.mapper = mapper;
        this.readable = new ReadableJson(mapper.tokenStreamFactory().streamReadConstraints());
    }

    @Override
    public String encode(Object value) {
        String json = write(value);
        String fault = readable.fault(json);
        if (fault != null) {
            throw new PayloadException(
                    "%s makes JSON that could not be read again: %s, see StreamReadConstraints of its JsonMapper"
                            .formatted(value.getClass().getName(), fault),
                    null);
        }
        return json;
    }

    private String write(Object value) {
        try {
            return encodable(mapper.writeValueAsString(value));
        } catch (JacksonException | StackOverflowError e) {
            throw new PayloadException(
                    "%s does not serialize to JSON: %s"
                            .formatted(value.getClass().getName(), JsonFault.describe(e)),
                    JsonFault.origin(e));
        }
    }

    @Override
    public Object decode(String json, Type type) {
        try {
            Object value = mapper.readValue(json, mapper.constructType(type));
            if (value == null) {
                throw new PayloadException(
                        "the payload is null where %s is expected".formatted(type.getTypeName()), null);
            }
            return value;
        } catch (JacksonException | StackOverflowError e) {
            // No cause: whoever refused a value tends to repeat it.
            throw new PayloadException(
                    "the payload is no %s: %s".formatted(type.getTypeName(), JsonFault.describe(e)), null);
        }
    }

    /** Unpaired surrogates have no UTF-8 and would arrive as question marks; as escapes they travel. */
    private static String encodable(String json) {
        for (int i = 0; i < json.length(); i++) {
            if (Character.isSurrogate(json.charAt(i))) {
                return escaped(json, i);
            }
        }
        return json;
    }

    private static String escaped(String json, int from) {
        StringBuilder text = new StringBuilder(json.length() + 16).append(json, 0, from);
        int i = from;
        while (i < json.length()) {
            int point = json.codePointAt(i);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                text.append("\\u%04x".formatted(point)); // inside a string: JSON has no surrogates elsewhere
            } else {
                text.appendCodePoint(point);
            }
            i += Character.charCount(point);
        }
        return text.toString();
    }
}
