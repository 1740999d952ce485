package dev.rowlock.queue.dashboard.api;

import org.jspecify.annotations.Nullable;

/** How the application wants its dashboard to look. */
public record Brand(
        String title, @Nullable String logo, @Nullable String accent) {}
