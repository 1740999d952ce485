package dev.rowlock.queue.dashboard.web;

import jakarta.servlet.http.HttpServletResponse;

/** Headers of every answer, whatever it is. */
final class Headers {

    /** Nothing inline, nothing from elsewhere, in nobody's frame. */
    static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                    + "require-trusted-types-for 'script'; trusted-types 'none'";

    private Headers() {}

    static void set(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
        response.setHeader("Cache-Control", "no-store");
    }
}
