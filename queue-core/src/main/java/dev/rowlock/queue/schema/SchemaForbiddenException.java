package dev.rowlock.queue.schema;

/** The application's role may not make what it was told to make. */
public final class SchemaForbiddenException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaForbiddenException(String message, Throwable cause) {
        super(message, cause);
    }
}
