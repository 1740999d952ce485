package dev.rowlock.queue;

/** A payload whose JSON exceeds {@code rowlock.payload.max-size}. Store it elsewhere and enqueue a reference. */
public final class PayloadTooLargeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    PayloadTooLargeException(String type, long bytes, long limit) {
        super(("payload of type '%s' has %d bytes as JSON, the limit is %d: store it elsewhere and enqueue a reference,"
                        + " or raise rowlock.payload.max-size")
                .formatted(type, bytes, limit));
    }
}
