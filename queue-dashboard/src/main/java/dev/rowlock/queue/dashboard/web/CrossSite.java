package dev.rowlock.queue.dashboard.web;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests of our own page from those that another site makes its visitors' browsers send.
 *
 * <p>Browsers say by {@code Sec-Fetch-Site} where a request comes from, but only over HTTPS and on localhost; otherwise {@code Origin} says it, if the proxy in
 * front of us has not hidden by which host the browser knows us. No page can set either of them. A page of
 * another site cannot set our header without a preflight, which is never answered; and the content type of JSON needs one as
 * well. So there are three walls, and the token of Spring Security is the fourth where there is one.
 */
final class CrossSite {

    /** A form cannot send it. */
    static final String HEADER = "X-Rowlock-Dashboard";

    private CrossSite() {}

    /** Why the request is refused; null: it is not. */
    static @Nullable String refusal(HttpServletRequest request, boolean changes) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && (changes || !site.equals("none"))) {
            return "the request comes from another site";
        }
        String origin = request.getHeader("Origin");
        if (site == null && origin != null && !ours(origin, request)) {
            return "the request comes from another origin than this server knows itself by; a proxy in front of it must pass on the header Host, or set X-Forwarded-Host";
        }
        if (!changes) {
            return null;
        }
        if (request.getHeader(HEADER) == null) {
            return "the header %s is missing".formatted(HEADER);
        }
        String type = Objects.requireNonNullElse(request.getContentType(), "");
        if (!type.toLowerCase(Locale.ROOT).matches("application/json(\\s*;.*)?")) {
            return "the content type must be application/json";
        }
        return null;
    }

    /** Behind a proxy the host that the browser knows may stand in a header of its own. A page cannot set either of them. */
    private static boolean ours(String origin, HttpServletRequest request) {
        String authority = authority(origin);
        return authority != null
                && (authority.equalsIgnoreCase(request.getHeader("Host"))
                        || authority.equalsIgnoreCase(last(request.getHeader("X-Forwarded-Host")))
                        || authority.equalsIgnoreCase(request.getServerName() + ":" + request.getServerPort())
                        || authority.equalsIgnoreCase(request.getServerName()) && defaultPort(request.getServerPort()));
    }

    private static boolean defaultPort(int port) {
        return port == 80 || port == 443;
    }

    private static @Nullable String authority(String origin) {
        try {
            return URI.create(origin).getRawAuthority();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable String last(@Nullable String hosts) {
        return hosts == null
                ? null
                : hosts.substring(hosts.lastIndexOf(',') + 1).strip();
    }
}
