package dev.rowlock.sample.picture;

/** A file that is no picture: it will be none at the next attempt either. */
public final class BrokenPictureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BrokenPictureException(String message, Throwable cause) {
        super(message, cause);
    }
}
