package dev.rowlock.sample.picture;

/** A picture cannot be had at the moment: worth another attempt later. */
public final class PictureUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PictureUnavailableException(String message) {
        super(message);
    }
}
