package dev.rowlock.queue.job;

import static java.util.stream.Collectors.joining;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong in one attempt, as it is kept in the job's error history.
 *
 * @param type what failed: the exception's class name, or a word such as {@code timeout}
 * @param message its message, at most {@value #MAX_MESSAGE} characters
 * @param trace the stack trace, at most {@value #MAX_TRACE} characters: of a longer one, the beginning
 *     of each cause
 */
public record JobError(String type, String message, String trace) {

    /** How many errors a job keeps; the oldest go first. */
    public static final int HISTORY = 20;

    static final int MAX_MESSAGE = 2_000;
    static final int MAX_TRACE = 6_000;

    private static final String CUT = " ...\n";

    /** Nulls, which only exceptions that break their contract bring, become empty. */
    public JobError {
        type = text(orEmpty(type), 300);
        message = text(orEmpty(message), MAX_MESSAGE);
        trace = text(shortened(orEmpty(trace)), MAX_TRACE);
    }

    /** Describes an exception that left a handler. */
    public static JobError of(Throwable thrown) {
        return new JobError(thrown.getClass().getName(), messageOf(thrown), traceOf(thrown));
    }

    /** An error that is not an exception, such as a deadline that passed. */
    public static JobError of(String type, String message) {
        return new JobError(type, message, "");
    }

    /** User code: even {@code getMessage()} may throw, or never end. */
    private static String messageOf(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? "" : message;
        } catch (Throwable e) {
            return "(its getMessage() threw " + e.getClass().getName() + ")";
        }
    }

    /** User code as well: it may throw half-way or print for ever, and what it printed until then is kept. */
    private static String traceOf(Throwable thrown) {
        Excerpt trace = new Excerpt();
        try {
            thrown.printStackTrace(new PrintWriter(trace));
        } catch (Throwable e) {
            return trace.length() > 0 ? trace.toString() : framesOf(thrown);
        }
        return trace.toString();
    }

    private static String framesOf(Throwable thrown) {
        try {
            return thrown.getClass().getName()
                    + Arrays.stream(thrown.getStackTrace())
                            .limit(50)
                            .map("\n\tat %s"::formatted)
                            .collect(joining());
        } catch (Throwable e) {
            return "";
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** Takes so much that the causes are in it, and no more. */
    private static final class Excerpt extends Writer {

        private static final int MAX = 200_000;

        private final StringBuilder text = new StringBuilder();

        int length() {
            return text.length();
        }

        @Override
        public void write(char[] characters, int offset, int length) {
            text.append(characters, offset, Math.min(length, MAX - text.length()));
            if (text.length() >= MAX) {
                throw new IllegalStateException("enough"); // ends whoever prints, in traceOf
            }
        }

        @Override
        public void write(String string, int offset, int length) {
            text.append(string, offset, offset + Math.min(length, MAX - text.length()));
            if (text.length() >= MAX) {
                throw new IllegalStateException("enough");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public String toString() {
            return text.toString();
        }
    }

    /** Each exception of the chain keeps its beginning: what went wrong is seldom said by the first. */
    private static String shortened(String trace) {
        if (trace.length() <= MAX_TRACE) {
            return trace;
        }
        String[] causes = trace.split("(?m)(?=^Caused by: )");
        int share = Math.max(100, MAX_TRACE / causes.length);
        StringBuilder text = new StringBuilder(MAX_TRACE);
        for (String cause : causes) {
            text.append(cause.length() <= share ? cause : cause.substring(0, share - CUT.length()) + CUT);
        }
        return text.toString();
    }

    /** PostgreSQL's jsonb refuses NUL, and UTF-8 has no unpaired surrogates: both become U+FFFD. */
    private static String text(String value, int limit) {
        StringBuilder text = new StringBuilder(Math.min(value.length(), limit));
        for (int i = 0; i < value.length(); ) {
            int point = value.codePointAt(i);
            i += Character.charCount(point);
            if (text.length() + Character.charCount(point) > limit) {
                break;
            }
            boolean storable = point != 0 && !(point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
            text.appendCodePoint(storable ? point : 0xFFFD);
        }
        return text.toString();
    }
}
