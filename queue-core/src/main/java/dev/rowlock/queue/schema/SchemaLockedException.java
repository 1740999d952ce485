package dev.rowlock.queue.schema;

/** The tables could not be upgraded, because other transactions held locks on them for too long. Nothing is half done. */
public final class SchemaLockedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaLockedException(String message, Throwable cause) {
        super(message, cause);
    }
}
