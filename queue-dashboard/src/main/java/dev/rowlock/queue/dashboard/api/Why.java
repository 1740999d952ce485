package dev.rowlock.queue.dashboard.api;

import org.jspecify.annotations.Nullable;

/** The reason that somebody gives for the audit. An empty field of the page is none. */
final class Why {

    private Why() {}

    static @Nullable String of(@Nullable String text) {
        return text == null || text.isBlank() ? null : text.strip();
    }
}
