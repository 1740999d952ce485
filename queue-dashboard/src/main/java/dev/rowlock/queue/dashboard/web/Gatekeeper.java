package dev.rowlock.queue.dashboard.web;

import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the application who the user is. Access is denied if that fails. */
final class Gatekeeper {

    private static final Logger log = LoggerFactory.getLogger(Gatekeeper.class);

    private final @Nullable DashboardAccess access;
    private final OnceAMinute traces = new OnceAMinute();

    /** @param access null: the application has said nothing, so nobody gets in */
    Gatekeeper(@Nullable DashboardAccess access) {
        this.access = access;
    }

    DashboardUser user(HttpServletRequest request) {
        if (access == null) {
            return DashboardUser.NOBODY;
        }
        try {
            DashboardUser user = access.user(request);
            return user == null ? DashboardUser.NOBODY : user;
        } catch (Throwable e) { // user code
            if (traces.due()) {
                log.warn("DashboardAccess of the application failed; the request to the dashboard is denied", e);
            }
            return DashboardUser.NOBODY;
        }
    }
}
