package com.example.notes;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Component;

/** Who names themselves get in. That is for a test. */
@Component
class Writers implements DashboardAccess {

    @Override
    public DashboardUser user(HttpServletRequest request) {
        String name = request.getHeader("X-Name");
        return name == null ? DashboardUser.NOBODY : new DashboardUser(name, AccessLevel.ADMIN);
    }
}
