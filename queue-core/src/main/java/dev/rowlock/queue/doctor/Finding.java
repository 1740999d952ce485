package dev.rowlock.queue.doctor;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one check has found.
 *
 * @param code of the check; it stays the same from release to release
 * @param cause one sentence
 * @param evidence what the check has seen
 * @param remedy what helps; null: there is nothing to do, or no remedy is known
 */
public record Finding(
        String code,
        Status status,
        String cause,
        Evidence evidence,
        @Nullable Remedy remedy) {

    public Finding {
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(cause, "cause");
        Objects.requireNonNull(evidence, "evidence");
    }

    /** How bad it is. */
    public enum Status {
        /** The check has looked, and the cause is not there. */
        OK,
        /** Good to know. */
        INFO,
        /** It slows the queue down, or will. */
        WARN,
        /** Jobs do not run because of it, or soon will not. */
        FAIL,
        /** The check may not see what it must see; the remedy says which right is missing. */
        SKIPPED,
        /** The check itself has failed, or was stopped after its time limit. */
        CRASHED
    }

    /**
     * What shows it.
     *
     * @param sql the statement that the check has run, with question marks for its parameters; empty: it looks at this process
     * @param rows a few of its rows, each as text; no payloads
     */
    public record Evidence(String sql, List<String> rows) {
        public Evidence {
            rows = List.copyOf(rows);
        }
    }

    /**
     * What helps.
     *
     * @param text in words
     * @param sql null: SQL does not help here
     * @param destructive whether the SQL ends or removes something that may still be needed
     */
    public record Remedy(String text, @Nullable String sql, boolean destructive) {}
}
