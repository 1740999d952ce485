package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the dashboard. A value that is not allowed stops the start.
 *
 * @param enabled Whether there is a dashboard.
 * @param path Where it is, below the application's context path: letters, digits and - . _ / after a leading slash.
 * @param title What stands at the top of each page, and in the browser's tab; up to 60 characters.
 * @param logo Address of a picture beside the title, on this application's own server or a data URL; none by default.
 * @param accent Colour of the bar at the top, such as '#1f5f8b'.
 * @param traceLink Address of a trace, with {traceId} in it; jobs that carry a trace link there.
 * @param payloads Level that sees payloads, headers and results: read-only, operator or admin.
 */
@ConfigurationProperties("rowlock.dashboard")
public record DashboardProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/rowlock") String path,
        @DefaultValue("Rowlock") String title,
        @Nullable String logo,
        @Nullable String accent,
        @Nullable String traceLink,
        @DefaultValue("operator") AccessLevel payloads) {

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._-]+)+");
    private static final Pattern COLOUR = Pattern.compile("#[0-9a-fA-F]{6}");
    private static final Pattern TRACE_LINK = Pattern.compile("https?://\\S*\\{traceId}\\S*");
    private static final Pattern LOGO = Pattern.compile("(?!//)(data:image/|[A-Za-z0-9._/-])[^\\s\"'<>\\\\]*");
    private static final int MAX_TITLE = 60;

    public DashboardProperties {
        require(
                PATH.matcher(path).matches() && !path.contains(".."),
                "path",
                path,
                "such as /rowlock, without a slash at its end");
        require(!title.isBlank() && title.length() <= MAX_TITLE, "title", title, "1 to 60 characters");
        require(
                logo == null || LOGO.matcher(logo).matches() && !scheme(logo),
                "logo",
                logo,
                "a path on this server or a data:image/ URL, because the page loads nothing from elsewhere");
        require(accent == null || COLOUR.matcher(accent).matches(), "accent", accent, "such as #1f5f8b");
        require(
                traceLink == null || TRACE_LINK.matcher(traceLink).matches(),
                "trace-link",
                traceLink,
                "an http or https address with {traceId} in it");
        require(payloads != AccessLevel.NONE, "payloads", payloads, "read-only, operator or admin");
    }

    private static boolean scheme(String logo) {
        return !logo.startsWith("data:") && logo.contains(":");
    }

    private static void require(boolean allowed, String name, @Nullable Object value, String what) {
        if (!allowed) {
            throw new IllegalArgumentException(
                    "rowlock.dashboard.%s is '%s': it must be %s".formatted(name, value, what));
        }
    }
}
