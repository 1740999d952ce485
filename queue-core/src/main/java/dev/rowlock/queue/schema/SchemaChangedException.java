package dev.rowlock.queue.schema;

/** Rowlock's tables were created by another build of this release, and may differ from those of this build. */
public final class SchemaChangedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaChangedException(String message) {
        super(message);
    }
}
