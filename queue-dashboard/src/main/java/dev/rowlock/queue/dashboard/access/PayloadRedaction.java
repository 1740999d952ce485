package dev.rowlock.queue.dashboard.access;

/**
 * Takes out of payloads what nobody shall see on the dashboard, such as card numbers. The application may give one bean of this type. It is asked for what is
 * shown of one job, after the {@linkplain AccessLevel level} of the user has been checked. If it throws, nothing is shown. It must be thread-safe.
 *
 * <p>Where there is one, only {@link AccessLevel#ADMIN} may search in payloads and headers: searches would tell others what is taken out.
 */
@FunctionalInterface
public interface PayloadRedaction {

    /**
     * What is shown of a text.
     *
     * @param part what it is of
     * @param type of the job
     * @param text JSON of a payload or result, or the value of a header
     */
    String redact(Part part, String type, String text);

    /** What a text is of. */
    enum Part {
        PAYLOAD,
        RESULT,
        HEADER
    }
}
