package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.CancelIdleJob;
import dev.rowlock.queue.internal.store.admin.RequestCancel;
import dev.rowlock.queue.internal.store.schedule.FindDueSchedules;
import dev.rowlock.queue.internal.store.schedule.FireSchedules;

/** What the scheduler does to the database. */
record ScheduleStatements(
        FindDueSchedules find, FireSchedules fire, CancelIdleJob cancelIdle, RequestCancel requestCancel) {

    ScheduleStatements(Database database) {
        this(
                new FindDueSchedules(database),
                new FireSchedules(database),
                new CancelIdleJob(database),
                new RequestCancel(database));
    }
}
