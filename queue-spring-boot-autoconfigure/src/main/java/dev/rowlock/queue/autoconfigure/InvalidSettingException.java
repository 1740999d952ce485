package dev.rowlock.queue.autoconfigure;

/** A property whose value is not allowed. The application does not start. */
final class InvalidSettingException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String prefix;

    InvalidSettingException(String prefix, IllegalArgumentException cause) {
        super("%s: %s".formatted(prefix, cause.getMessage()), cause);
        this.prefix = prefix;
    }

    String prefix() {
        return prefix;
    }
}
