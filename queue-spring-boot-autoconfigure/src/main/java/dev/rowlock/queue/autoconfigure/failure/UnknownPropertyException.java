package dev.rowlock.queue.autoconfigure.failure;

import java.util.List;
import java.util.Map;

/** Properties of Rowlock that do not exist. The application does not start. */
public final class UnknownPropertyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final List<String> names;

    /** @param problems what is wrong with each, by its name */
    public UnknownPropertyException(Map<String, String> problems) {
        super(String.join("\n", problems.values()));
        this.names = List.copyOf(problems.keySet());
    }

    List<String> names() {
        return names;
    }
}
