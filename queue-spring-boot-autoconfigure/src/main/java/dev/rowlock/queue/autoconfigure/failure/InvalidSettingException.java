package dev.rowlock.queue.autoconfigure.failure;

/** A property whose value is not allowed. The application does not start. */
public final class InvalidSettingException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String prefix;

    public InvalidSettingException(String prefix, IllegalArgumentException cause) {
        super("%s: %s".formatted(prefix, cause.getMessage()), cause);
        this.prefix = prefix;
    }

    String prefix() {
        return prefix;
    }
}
