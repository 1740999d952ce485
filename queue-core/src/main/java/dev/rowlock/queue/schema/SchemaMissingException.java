package dev.rowlock.queue.schema;

/** Rowlock's tables do not exist, and it may not make them. */
public final class SchemaMissingException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaMissingException(String message) {
        super(message);
    }
}
