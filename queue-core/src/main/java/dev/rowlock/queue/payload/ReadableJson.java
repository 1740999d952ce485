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
        private int nextEscape = -1; // behind all that has been looked at; -1: not looked for yet
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
            int begin = ++at;
            int escapes = 0;
            // Texts may be very long and have few escapes: the JVM looks for one character many times as fast as a loop
            // does.
            int end = json.indexOf('"', at);
            for (int escape = escape(end); escape >= 0; escape = escape(end)) {
                int length = json.charAt(escape + 1) == 'u' ? 6 : 2;
                escapes += length - 1;
                at = escape + length;
                if (end < at) { // an escaped quotation mark
                    end = json.indexOf('"', at);
                }
            }
            at = end;
            int length = at - begin - escapes;
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

        /** Where the next escape begins before this place; -1: there is none. */
        private int escape(int end) {
            if (nextEscape < at) {
                int found = json.indexOf('\\', at);
                nextEscape = found < 0 ? json.length() : found;
            }
            return nextEscape < end ? nextEscape : -1;
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
