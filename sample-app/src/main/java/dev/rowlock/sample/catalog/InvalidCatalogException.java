package dev.rowlock.sample.catalog;

/** A file that is no catalog at all: there is no row to accept or to reject. */
public final class InvalidCatalogException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InvalidCatalogException(String message) {
        super(message);
    }
}
