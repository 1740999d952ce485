package dev.rowlock.queue.search;

import org.jspecify.annotations.Nullable;

/**
 * A search took longer than its time limit, {@code rowlock.search.time-limit}, and the database stopped it. Nothing has changed; the
 * caller's transaction, if there is one, goes on. The message says how to narrow the search.
 */
public class SearchTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public SearchTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
