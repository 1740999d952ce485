package dev.rowlock.sample.dashboard;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.springframework.stereotype.Component;

/**
 * Who sits at this machine may do everything on the dashboard, everybody else nothing. That is for a demonstration, which nobody
 * logs in to. Do not copy it: where users log in, {@code DashboardAccess.byRoles} asks for their roles, and behind a proxy every
 * request comes from the proxy's machine.
 */
@Component
final class LocalDashboardAccess implements DashboardAccess {

    private static final DashboardUser LOCAL = new DashboardUser("demo", AccessLevel.ADMIN);

    @Override
    public DashboardUser user(HttpServletRequest request) {
        boolean forwarded = request.getHeader("X-Forwarded-For") != null || request.getHeader("Forwarded") != null;
        return !forwarded && fromHere(request.getRemoteAddr()) ? LOCAL : DashboardUser.NOBODY;
    }

    /** An address, not a name: nothing is looked up. */
    private static boolean fromHere(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
