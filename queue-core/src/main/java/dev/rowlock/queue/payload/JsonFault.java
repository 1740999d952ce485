package dev.rowlock.queue.payload;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;

/**
 * What is wrong with a document, for logs: the kind of error, where in the document, and where in the application.
 * Never its words: Jackson's messages, and those of constructors that refuse a value, repeat what they read.
 */
final class JsonFault {

    private static final List<String> NOT_THE_APPLICATION =
            List.of("java.", "jdk.", "sun.", "tools.jackson.", "com.fasterxml.");

    /** What Jackson says of a class with a constructor that JSON objects cannot be read by. */
    private static final String NO_CREATOR = "(no delegate- or property-based Creator)";

    private JsonFault() {}

    static String describe(Throwable fault) {
        if (!(fault instanceof JacksonException jackson)) {
            return "it is nested too deeply, or holds itself";
        }
        if (jackson instanceof InvalidDefinitionException || jackson instanceof StreamConstraintsException) {
            return jackson.getOriginalMessage(); // about types and limits only
        }
        if (jackson instanceof MismatchedInputException mismatch
                && mismatch.getOriginalMessage().endsWith(NO_CREATOR)) {
            return "%s has no constructor that takes its properties, and none without parameters%s"
                    .formatted(mismatch.getTargetType().getName(), path(jackson));
        }
        return jackson.getClass().getSimpleName() + path(jackson) + position(jackson) + thrower(origin(jackson));
    }

    /** What the application's own code threw; null if Jackson itself refused. */
    static @Nullable Throwable origin(Throwable fault) {
        Throwable cause = fault;
        while (cause instanceof JacksonException) {
            cause = cause.getCause();
        }
        return cause == fault ? null : cause;
    }

    private static String path(JacksonException fault) {
        if (fault.getPath().isEmpty()) {
            return "";
        }
        return " at " + fault.getPath().stream().map(JsonFault::step).collect(Collectors.joining());
    }

    /** The keys of a map are content, those of a class are not. */
    private static String step(JacksonException.Reference step) {
        if (step.getPropertyName() == null) {
            return step.getIndex() < 0 ? "[?]" : "[" + step.getIndex() + "]";
        }
        boolean map = step.from() instanceof Map
                || (step.from() instanceof Class<?> type && Map.class.isAssignableFrom(type));
        return map ? "[?]" : "." + step.getPropertyName();
    }

    private static String position(JacksonException fault) {
        return fault.getLocation() == null || fault.getLocation().getColumnNr() < 1
                ? ""
                : " (line %d, column %d)"
                        .formatted(
                                fault.getLocation().getLineNr(),
                                fault.getLocation().getColumnNr());
    }

    private static String thrower(@Nullable Throwable origin) {
        if (origin == null) {
            return "";
        }
        for (StackTraceElement frame : origin.getStackTrace()) {
            if (frame.getClassName().equals(JacksonPayloadCodec.class.getName())) {
                break;
            }
            if (NOT_THE_APPLICATION.stream().noneMatch(frame.getClassName()::startsWith)) {
                return ", " + origin.getClass().getName() + " from " + frame;
            }
        }
        return ", " + origin.getClass().getName();
    }
}
