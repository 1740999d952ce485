package dev.rowlock.queue.dashboard.web;

import dev.rowlock.queue.dashboard.api.call.Call.Csrf;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/** The token that Spring Security wants with each change, where the application uses it and has not switched it off. */
final class SecurityToken {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.security.web.csrf.CsrfToken", SecurityToken.class.getClassLoader());

    private SecurityToken() {}

    /** Reading it may make a session. So it is read only where the page asks for it. */
    static @Nullable Csrf of(HttpServletRequest request) {
        return PRESENT ? Present.of(request) : null;
    }

    /** In a class of its own, which is not loaded without Spring Security. */
    private static final class Present {
        static @Nullable Csrf of(HttpServletRequest request) {
            return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? new Csrf(token.getHeaderName(), token.getToken())
                    : null;
        }
    }
}
