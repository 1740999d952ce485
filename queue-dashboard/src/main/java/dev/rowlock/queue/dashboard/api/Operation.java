package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.api.call.Call;
import org.jspecify.annotations.Nullable;

/**
 * One line of the table of operations.
 *
 * @param method {@code GET}: it changes nothing; {@code POST}: it may
 * @param path below {@code api/}; {@code {id}} stands for digits
 * @param level what its callers need at least
 */
public record Operation(Method method, String path, AccessLevel level, Action action) {

    /** How it is called. */
    public enum Method {
        GET,
        POST
    }

    /** What it does. */
    @FunctionalInterface
    public interface Action {
        /** The answer, which becomes JSON. */
        @Nullable
        Object run(Call call);
    }

    private static final String ID = "{id}";

    /** The id in this path, 0 if the operation takes none; -1: it is not the path of this operation. */
    public long match(String asked) {
        int place = path.indexOf(ID);
        if (place < 0) {
            return path.equals(asked) ? 0 : -1;
        }
        String before = path.substring(0, place);
        String behind = path.substring(place + ID.length());
        int end = asked.length() - behind.length();
        if (end <= place || !asked.startsWith(before) || !asked.endsWith(behind)) {
            return -1;
        }
        String id = asked.substring(place, end);
        if (!id.matches("[1-9][0-9]{0,18}")) {
            return -1;
        }
        try {
            return Long.parseLong(id);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
