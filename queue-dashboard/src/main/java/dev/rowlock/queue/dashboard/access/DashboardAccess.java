package dev.rowlock.queue.dashboard.access;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;

/**
 * Decides who may do what on the dashboard. The application gives one bean of this type. Without it, all access is denied.
 *
 * <p>It is asked for each request, on the request's thread, before anything else is done. If it throws, or returns null, the request is refused.
 * It must be thread-safe, and quick: a page makes several requests.
 */
@FunctionalInterface
public interface DashboardAccess {

    /** Who has sent this request, and what that user may do; {@link DashboardUser#NOBODY} for somebody who may do nothing. */
    DashboardUser user(HttpServletRequest request);

    /**
     * By the roles of users who have logged in, as the servlet container or Spring Security knows them. A user gets the highest level of which he or
     * she has the role. Requests without a user get nothing.
     *
     * @param readOnly role of {@link AccessLevel#READ_ONLY}
     * @param operator role of {@link AccessLevel#OPERATOR}
     * @param admin role of {@link AccessLevel#ADMIN}
     */
    static DashboardAccess byRoles(String readOnly, String operator, String admin) {
        return request -> {
            Principal principal = request.getUserPrincipal();
            if (principal == null) {
                return DashboardUser.NOBODY;
            }
            AccessLevel level = request.isUserInRole(admin)
                    ? AccessLevel.ADMIN
                    : request.isUserInRole(operator)
                            ? AccessLevel.OPERATOR
                            : request.isUserInRole(readOnly) ? AccessLevel.READ_ONLY : AccessLevel.NONE;
            return new DashboardUser(principal.getName(), level);
        };
    }
}
