package dev.rowlock.queue.search;

import dev.rowlock.queue.job.JobOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the texts of a filter must be like. Each method returns its value, or says what is allowed. */
final class Rules {

    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{16}");

    /** Texts and comments as a whole, so that nothing in them is found. */
    private static final Pattern PART_OF_JSONPATH =
            Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|/\\*.*?\\*/|\\*\\*|[\\[\\](),]", Pattern.DOTALL);

    private Rules() {}

    static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("the %s is null: name one, or leave the condition out".formatted(what));
        }
        return value;
    }

    static String text(String what, @Nullable String text) {
        String given = given(what, text);
        if (given.isBlank() || given.length() > JobFilter.MAX_TEXT) {
            throw new IllegalArgumentException(
                    "%s '%s' is not allowed: it has 1 to %d characters, not all of them blank, and this one has %d"
                            .formatted(what, printable(given), JobFilter.MAX_TEXT, given.length()));
        }
        return storable(what, given);
    }

    /** The database knows whether the rest is right. */
    static void jsonpath(@Nullable String path) {
        String given = text("jsonpath", path);
        if (given.indexOf('$') < 0) {
            throw new IllegalArgumentException(
                    "jsonpath '%s' does not look at payloads: begin with $, as in $.customer == 42"
                            .formatted(printable(given)));
        }
        oneOfSeveralPlaces(given);
    }

    /**
     * A path that names several places at once may name one of them more than once, as [0, 0] does and each .** behind another. What such parts
     * select multiplies from one to the next, and the database holds all of it in memory.
     */
    private static void oneOfSeveralPlaces(String path) {
        if (severalPlaces(path) > 1) {
            throw new IllegalArgumentException(
                    "jsonpath '%s' has more than one part that names several places, such as [0, 1] and .**: use one at most, because what they select multiplies"
                            .formatted(printable(path)));
        }
    }

    /** How many subscripts with a comma, and how many .** there are, outside of texts and comments. */
    private static int severalPlaces(String path) {
        int several = 0;
        Deque<Character> open = new ArrayDeque<>();
        Matcher part = PART_OF_JSONPATH.matcher(path);
        while (part.find()) {
            switch (part.group()) {
                case "[", "(" -> open.push(part.group().charAt(0));
                case "]", ")" -> open.poll();
                case "," -> {
                    if (open.peek() != null && open.peek() == '[') {
                        open.pop();
                        open.push(','); // this subscript is counted
                        several++;
                    }
                }
                case "**" -> several++;
                default -> {} // a text or a comment
            }
        }
        return several;
    }

    static void fingerprint(String digits) {
        if (!FINGERPRINT.matcher(digits).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no fingerprint: it has 16 digits, 0 to 9 and a to f".formatted(printable(digits)));
        }
    }

    static void header(@Nullable String key, @Nullable String value) {
        String name = given("key of a header", key);
        String content = given("value of header '%s'".formatted(printable(name)), value);
        if (name.isEmpty() || Math.max(name.length(), content.length()) > JobOptions.MAX_HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "a header with a key of %d and a value of %d characters is not allowed: keys have 1 to %d characters, values up to %d"
                            .formatted(
                                    name.length(),
                                    content.length(),
                                    JobOptions.MAX_HEADER_LENGTH,
                                    JobOptions.MAX_HEADER_LENGTH));
        }
        storable("header key", name);
        storable("value of header '%s'".formatted(printable(name)), content);
    }

    /** PostgreSQL's text has no NUL, and UTF-8 no half of a surrogate pair. */
    private static String storable(String what, String text) {
        if (text.codePoints()
                .anyMatch(point ->
                        point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE))) {
            throw new IllegalArgumentException(
                    "%s '%s' is not allowed: it has NUL or an unpaired surrogate".formatted(what, printable(text)));
        }
        return text;
    }

    static String printable(String text) {
        String shown = text.length() <= 100 ? text : text.substring(0, 100) + "…";
        return shown.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
    }
}
