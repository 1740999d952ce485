package dev.rowlock.queue.search;

/**
 * Others of this process are searching, and none of them has ended in time, so this search has not begun. Nothing has changed; the caller's transaction,
 * if there is one, goes on. The same search may succeed a moment later.
 */
public class SearchesBusyException extends SearchTimeoutException {

    private static final long serialVersionUID = 1L;

    public SearchesBusyException(String message) {
        super(message, null);
    }
}
