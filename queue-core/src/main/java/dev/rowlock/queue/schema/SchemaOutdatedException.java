package dev.rowlock.queue.schema;

/** Rowlock's tables are not those that this release needs, and it may not change them. */
public final class SchemaOutdatedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SchemaOutdatedException(String message) {
        super(message);
    }
}
