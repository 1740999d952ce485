package dev.rowlock.queue.schema;

/** The DataSource does not lead to a PostgreSQL that Rowlock runs on. */
public final class UnsupportedDatabaseException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    UnsupportedDatabaseException(String message) {
        super(message);
    }
}
