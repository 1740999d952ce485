package dev.rowlock.sample.postgres;

/** The sample's own PostgreSQL cannot be used; the message says why. */
final class EmbeddedPostgresException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EmbeddedPostgresException(String message) {
        super(message);
    }

    EmbeddedPostgresException(String message, Throwable cause) {
        super(message, cause);
    }
}
