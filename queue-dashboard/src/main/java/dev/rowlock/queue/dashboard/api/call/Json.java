package dev.rowlock.queue.dashboard.api.call;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/** JSON as the page speaks it, whatever the application has set for its own. */
public final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // A number in place of an id would have lost digits already.
            .withCoercionConfig(LogicalType.Textual, coercion -> {
                for (CoercionInputShape shape : new CoercionInputShape[] {
                    CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean
                }) {
                    coercion.setCoercion(shape, CoercionAction.Fail);
                }
            })
            .build();

    /** As an escape, whose backslash is none of an escape itself. */
    private static final Pattern NUL = Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*+\\\\u0000");

    private Json() {}

    public static byte[] write(@Nullable Object answer) {
        return MAPPER.writeValueAsBytes(answer);
    }

    public static String text(Object answer) {
        return MAPPER.writeValueAsString(answer);
    }

    public static <T> T read(byte[] body, Class<T> type) {
        if (NUL.matcher(new String(body, StandardCharsets.ISO_8859_1)).find()) {
            throw Problem.invalid("a text in the request has the character U+0000, which cannot be stored");
        }
        T value;
        try {
            value = MAPPER.readValue(body, type);
        } catch (JacksonException e) {
            throw Problem.invalid("the body of the request is not the JSON that this operation takes" + place(e));
        }
        if (value == null) {
            throw Problem.invalid("the body of the request is null");
        }
        return value;
    }

    /** Without names of classes: they are nobody's business. */
    private static String place(JacksonException e) {
        String fields = e.getPath().stream()
                .map(JacksonException.Reference::getPropertyName)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("."));
        return fields.isEmpty() ? "" : ": look at '%s'".formatted(Filters.printable(fields));
    }
}
