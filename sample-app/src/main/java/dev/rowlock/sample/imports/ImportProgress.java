package dev.rowlock.sample.imports;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * How far an import is. Each row of the file is counted in exactly one of {@code rejected}, {@code resized},
 * {@code running}, {@code queued}, {@code retrying}, {@code dead} and {@code withdrawn}.
 *
 * @param readerState the state of the job that reads the file; null once retention has dropped it
 * @param rows how many the file has; null until it was read
 * @param retrying failed at least once, and will be tried again
 * @param dead those whose last attempt failed; each keeps its error history
 * @param withdrawn cancelled or discarded by somebody
 * @param recovered of the resized ones, those that had failed before
 * @param finishedAt when the last one ended
 */
record ImportProgress(
        long id,
        String fileName,
        OffsetDateTime submittedAt,
        @Nullable OffsetDateTime finishedAt,
        @Nullable String readerState,
        @Nullable Integer rows,
        long rejected,
        long resized,
        long running,
        long queued,
        long retrying,
        long dead,
        long withdrawn,
        long recovered) {

    /** Products that have not ended. */
    long open() {
        return running + queued + retrying;
    }

    @JsonProperty
    String status() {
        if (rows == null) {
            return "dead".equals(readerState) || "quarantined".equals(readerState) ? "failed" : "accepted";
        }
        return finishedAt == null ? "running" : "finished";
    }

    /** Rows that have ended, in percent: 100 only if none is left. */
    @JsonProperty
    int percent() {
        if (rows == null) {
            return 0;
        }
        return (int) ((rows - open()) * 100 / rows);
    }

    /** For a notification. */
    String summary() {
        return "%s: %d of %d products in stock, %d rejected, %d dead"
                .formatted(fileName, resized, rows, rejected, dead + withdrawn);
    }
}
