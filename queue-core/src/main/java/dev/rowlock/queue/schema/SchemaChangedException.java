package dev.rowlock.queue.schema;

/** Rowlock's tables were made by another build of this release, and nobody knows how they differ. */
public final class SchemaChangedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaChangedException(String message) {
        super(message);
    }
}
