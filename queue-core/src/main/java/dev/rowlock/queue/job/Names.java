package dev.rowlock.queue.job;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rule for names that people type and that end up in rows, meters and URLs: queues, job types and
 * recurring jobs.
 *
 * <p>A name has 1 to {@value #MAX_LENGTH} characters, starts with a letter or digit, and goes on with letters, digits,
 * {@code . _ : / -}. Everything else is refused where the name is first given, so that no row, meter tag or
 * notification ever needs escaping.
 */
public final class Names {

    /** The longest name of a queue or type, in characters. */
    public static final int MAX_LENGTH = 100;

    /** The queue of jobs for which nobody names one. */
    public static final String DEFAULT_QUEUE = "default";

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0," + (MAX_LENGTH - 1) + "}");

    private Names() {}

    /** Returns the name of a queue, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static String queue(String name) {
        return valid("queue", name);
    }

    /** Returns the logical name of a type, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static String type(String name) {
        return valid("job type", name);
    }

    /** Returns the name of a recurring job, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static String recurringJob(String name) {
        return valid("recurring job", name);
    }

    /** Returns the name of a workflow, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static String workflow(String name) {
        return valid("workflow", name);
    }

    /** Returns the name of a step of a workflow, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static String step(String name) {
        return valid("step", name);
    }

    private static String valid(String what, @Nullable String name) {
        if (name == null) {
            throw new IllegalArgumentException("the %s name is null: name one".formatted(what));
        }
        if (!VALID.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "%s name %s is not valid: 1 to %d letters, digits or . _ : / - are allowed, the first a letter or digit"
                            .formatted(what, quoted(name), MAX_LENGTH));
        }
        return name;
    }

    /** What was given, shortened and without control characters: it goes into logs. */
    private static String quoted(String name) {
        String shown = name.length() <= MAX_LENGTH ? name : name.substring(0, MAX_LENGTH) + "…";
        return "'" + shown.replaceAll("\\p{Cntrl}", "?") + "'";
    }
}
