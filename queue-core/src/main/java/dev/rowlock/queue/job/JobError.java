package dev.rowlock.queue.job;

import java.io.PrintWriter;
import java.io.StringWriter;

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

    public JobError {
        type = text(type, 300);
        message = text(message, MAX_MESSAGE);
        trace = text(shortened(trace), MAX_TRACE);
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

    private static String traceOf(Throwable thrown) {
        try {
            StringWriter trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            return trace.toString();
        } catch (Throwable e) {
            return "";
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
