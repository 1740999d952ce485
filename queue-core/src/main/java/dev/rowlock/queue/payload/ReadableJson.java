package dev.rowlock.queue.payload;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;

/**
 * Whether Jackson will read what it has written: it writes numbers of any length, and refuses to read very long ones. Short
 * documents cost nothing, others one look at each character.
 */
final class ReadableJson {

    private final StreamReadConstraints limits;
    private final int alwaysReadable;

    ReadableJson(StreamReadConstraints limits) {
        this.limits = limits;
        int smallest = Math.min(
                Math.min(limits.getMaxNumberLength(), limits.getMaxNestingDepth()),
                Math.min(limits.getMaxStringLength(), limits.getMaxNameLength()));
        // These two are off unless an application sets them.
        this.alwaysReadable = limits.hasMaxDocumentLength() || limits.hasMaxTokenCount() ? 0 : smallest;
    }

    /** Returns what cannot be read of a valid document; null: all of it can. */
    @Nullable
    String fault(String json) {
        return json.length() <= alwaysReadable ? null : new Look(json).fault();
    }

    /** One look at a document. */
    private final class Look {

        private final String json;
        private int at;
        private int depth;
        private long tokens;

        Look(String json) {
            this.json = json;
        }

        @Nullable
        String fault() {
            if (limits.hasMaxDocumentLength() && json.length() > limits.getMaxDocumentLength()) {
                return over("a document of %d characters", json.length(), limits.getMaxDocumentLength());
            }
            String fault = null;
            while (fault == null && at < json.length()) {
                fault = next();
            }
            return fault == null && limits.hasMaxTokenCount() && tokens > limits.getMaxTokenCount()
                    ? over("%d tokens", tokens, limits.getMaxTokenCount())
                    : fault;
        }

        private @Nullable String next() {
            char c = json.charAt(at);
            if (c == '"') {
                return text();
            }
            if (c == '-' || isDigit(c)) {
                return number();
            }
            at++;
            if (c == '{' || c == '[') {
                tokens++;
                return ++depth > limits.getMaxNestingDepth()
                        ? over("a nesting of %d", depth, limits.getMaxNestingDepth())
                        : null;
            }
            if (c == '}' || c == ']') {
                tokens++;
                depth--;
            } else if (c == 't' || c == 'f' || c == 'n') {
                tokens++;
                at += c == 'f' ? 4 : 3; // behind true, false, null
            }
            return null;
        }

        private @Nullable String text() {
            int length = 0;
            for (at++; json.charAt(at) != '"'; at++) {
                length++;
                if (json.charAt(at) == '\\') {
                    at += json.charAt(at + 1) == 'u' ? 5 : 1;
                }
            }
            at++;
            tokens++;
            boolean name = at < json.length() && json.charAt(at) == ':';
            if (name && length > limits.getMaxNameLength()) {
                return over("a name of %d characters", length, limits.getMaxNameLength());
            }
            return !name && length > limits.getMaxStringLength()
                    ? over("a text of %d characters", length, limits.getMaxStringLength())
                    : null;
        }

        private @Nullable String number() {
            int digits = 0;
            for (; at < json.length() && isPartOfNumber(json.charAt(at)); at++) {
                digits += isDigit(json.charAt(at)) ? 1 : 0;
            }
            tokens++;
            return digits > limits.getMaxNumberLength()
                    ? over("a number of %d digits", digits, limits.getMaxNumberLength())
                    : null;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isPartOfNumber(char c) {
        return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    }

    private static String over(String what, long found, long allowed) {
        return what.formatted(found) + " where %d are read at most".formatted(allowed);
    }
}
