package dev.rowlock.queue.dashboard.api.call;

import org.jspecify.annotations.Nullable;

/** The reason that a user gives for the audit. An empty field of the page is none. */
public final class Why {

    private Why() {}

    public static @Nullable String of(@Nullable String text) {
        return text == null || text.isBlank() ? null : text.strip();
    }
}
