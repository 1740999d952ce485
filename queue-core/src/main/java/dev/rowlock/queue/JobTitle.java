package dev.rowlock.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/** Makes the title of a job from its payload: see {@link JobType#title}. Thread-safe. */
final class JobTitle {

    private static final int MAX_LENGTH = 200;

    /** For what has no value, or cannot be read: a title never fails a job. */
    private static final String UNKNOWN = "?";

    private static final Pattern PLACEHOLDER =
            Pattern.compile("\\{([\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*)}");

    /** Control characters, ends of lines, and what changes the direction of all text behind it. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\u202A-\\u202E\\u2066-\\u2069]");

    private record Part(String text, @Nullable Expression value) {}

    private final List<Part> parts = new ArrayList<>();

    /** @throws IllegalArgumentException if it has a brace that begins or ends no property, or names a property that the payload does not have */
    JobTitle(Class<?> payload, String template) {
        String named = "the title '%s'".formatted(template);
        Matcher placeholder = PLACEHOLDER.matcher(template);
        int end = 0;
        while (placeholder.find()) {
            addText(payload, named, template.substring(end, placeholder.start()));
            parts.add(new Part("", KeyExpression.parsed(payload, named, placeholder.group(1))));
            end = placeholder.end();
        }
        addText(payload, named, template.substring(end));
    }

    private void addText(Class<?> payload, String named, String text) {
        if (text.contains("{") || text.contains("}")) {
            throw new IllegalArgumentException(
                    "@JobType of %s names %s: braces stand around a property of the payload, such as {customer} or {customer.name}"
                            .formatted(payload.getName(), named));
        }
        parts.add(new Part(text, null));
    }

    /** Null: it would be blank. */
    @Nullable
    String of(Object job) {
        StringBuilder title = new StringBuilder();
        for (Part part : parts) {
            Expression value = part.value();
            title.append(value == null ? part.text() : text(value, job));
            if (title.length() > MAX_LENGTH) {
                break;
            }
        }
        String clean = UNPRINTABLE.matcher(title).replaceAll(" ").strip();
        return clean.isEmpty() ? null : cut(clean);
    }

    /** The values are the application's own: reading one may throw, and so may its {@code toString}. */
    private static String text(Expression value, Object job) {
        try {
            Object found = KeyExpression.value(value, job);
            String text = found == null ? null : found.toString();
            return text == null ? UNKNOWN : text.substring(0, Math.min(text.length(), MAX_LENGTH + 1));
        } catch (RuntimeException e) {
            return UNKNOWN;
        }
    }

    /** Without halves of characters, which are no UTF-8. */
    private static String cut(String title) {
        StringBuilder text = new StringBuilder();
        title.codePoints()
                .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point)
                .forEach(text::appendCodePoint);
        if (text.length() <= MAX_LENGTH) {
            return text.toString();
        }
        int end = MAX_LENGTH - 1;
        return text.substring(0, Character.isLowSurrogate(text.charAt(end)) ? end - 1 : end) + "…";
    }
}
