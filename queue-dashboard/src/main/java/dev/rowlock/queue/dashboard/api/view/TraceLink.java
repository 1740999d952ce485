package dev.rowlock.queue.dashboard.api.view;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The way from a job to its trace.
 *
 * @param template an address with {@code {traceId}} in it; null: there is none
 */
public record TraceLink(@Nullable String template) {

    /** W3C: version, trace id, parent id, flags. Only digits of a trace id get into the link. */
    private static final Pattern TRACEPARENT =
            Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

    public static @Nullable String traceId(Map<String, String> headers) {
        Matcher matcher = TRACEPARENT.matcher(headers.getOrDefault("traceparent", ""));
        return matcher.matches() ? matcher.group(1) : null;
    }

    @Nullable
    public String to(@Nullable String traceId) {
        return template == null || traceId == null ? null : template.replace("{traceId}", traceId);
    }
}
