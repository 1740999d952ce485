package dev.rowlock.queue.dashboard.access;

/**
 * Removes secrets, such as card numbers, from what the dashboard shows of jobs. The application may give one bean of this type. It is asked for
 * each payload, result, header, error and progress note that is shown, wherever that is, after the {@linkplain AccessLevel level}
 * of the user has been checked. If it throws, nothing is shown. It must be thread-safe.
 *
 * <p>Where there is one, only {@link AccessLevel#ADMIN} may search in payloads and headers: searches would tell others what is
 * taken out. Everybody may search in error messages.
 */
@FunctionalInterface
public interface PayloadRedaction {

    /**
     * What is shown of a text.
     *
     * @param part what it is of
     * @param type of the job
     * @param text JSON of a payload or result, the value of a header, the message or the stack trace of an error, what a handler says of its progress or writes to its job's log
     */
    String redact(Part part, String type, String text);

    /** What a text is of. */
    enum Part {
        PAYLOAD,
        RESULT,
        HEADER,
        ERROR,
        PROGRESS
    }
}
