package dev.rowlock.queue.schema;

import org.jspecify.annotations.Nullable;

/** The application's role may not make what it was told to make. */
public final class SchemaForbiddenException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaForbiddenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
