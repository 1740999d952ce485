package dev.rowlock.queue.spring;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringValueResolver;

/** Text attributes of annotations: placeholders and expressions replaced, empty ones as defaults. */
record TextAttributes(StringValueResolver resolver) {

    <T> T value(String attribute, String text, Function<String, T> reader, T whenEmpty) {
        return Objects.requireNonNullElse(optional(attribute, text, reader), whenEmpty);
    }

    /**
     * Null for an empty one.
     *
     * @throws IllegalArgumentException names the attribute and what stands there, if the reader throws one
     */
    <T> @Nullable T optional(String attribute, String text, Function<String, T> reader) {
        if (text.isEmpty()) {
            return null;
        }
        String resolved = resolver.resolveStringValue(text);
        if (resolved == null || resolved.isBlank()) {
            return null;
        }
        try {
            return reader.apply(resolved.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s '%s' is not a number".formatted(attribute, resolved), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s '%s' is not valid: %s".formatted(attribute, resolved, e.getMessage()), e);
        }
    }

    static Duration duration(String text) {
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("write a duration such as 500ms, 30s, 5m or PT1H", e);
        }
    }
}
