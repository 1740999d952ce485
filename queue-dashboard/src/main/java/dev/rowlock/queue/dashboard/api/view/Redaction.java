package dev.rowlock.queue.dashboard.api.view;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.dashboard.access.PayloadRedaction;
import dev.rowlock.queue.dashboard.access.PayloadRedaction.Part;
import dev.rowlock.queue.operate.KindOfError;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a job carries and says, as the application lets it be seen. */
public final class Redaction {

    private static final Logger log = LoggerFactory.getLogger(Redaction.class);

    private static final String FAILED = "\"(not shown: the application's PayloadRedaction has failed)\"";

    private final @Nullable PayloadRedaction rule;

    /** @param rule null: everything is shown */
    public Redaction(@Nullable PayloadRedaction rule) {
        this.rule = rule;
    }

    /**
     * What is shown.
     *
     * @param changed whether the payload is not the real one: then it cannot be edited
     */
    public record Carried(
            String payload,
            Map<String, String> headers,
            @Nullable String result,
            boolean changed) {}

    public Carried of(JobDetails job) {
        String payload = redacted(Part.PAYLOAD, job.type(), job.payload());
        Map<String, String> headers = new TreeMap<>();
        job.headers().forEach((name, value) -> headers.put(name, redacted(Part.HEADER, job.type(), value)));
        String result = job.result();
        return new Carried(
                payload,
                headers,
                result == null ? null : redacted(Part.RESULT, job.type(), result),
                !payload.equals(job.payload()));
    }

    /** The message or the stack trace of an error of a job of this type. */
    public String error(String type, String text) {
        return redacted(Part.ERROR, type, text);
    }

    /** The error of a bulk action's kind of error; null for null. */
    @Nullable
    public KindOfError error(@Nullable KindOfError error) {
        return error == null
                ? null
                : new KindOfError(error.jobType(), error.errorType(), error(error.jobType(), error.message()));
    }

    /** What a handler says of its progress; null for null. */
    @Nullable
    public String progress(String type, @Nullable String note) {
        return note == null ? null : redacted(Part.PROGRESS, type, note);
    }

    private String redacted(Part part, String type, String text) {
        if (rule == null || text.isEmpty()) {
            return text;
        }
        try {
            String shown = rule.redact(part, type, text);
            return shown == null ? FAILED : shown;
        } catch (Throwable e) { // user code: a regular expression may run out of stack
            // The exception may quote what it was given.
            log.warn(
                    "PayloadRedaction of the application failed for a {} of type {} with {}; it is not shown",
                    part,
                    type,
                    e.getClass().getName());
            return FAILED;
        }
    }
}
