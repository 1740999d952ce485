package dev.rowlock.queue.spi;

import org.jspecify.annotations.Nullable;

/** A payload or result that cannot become JSON, or JSON that cannot become the listener's payload. */
public final class PayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PayloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
