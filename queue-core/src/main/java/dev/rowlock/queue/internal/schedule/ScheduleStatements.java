package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.JobStatements;
import dev.rowlock.queue.internal.store.schedule.FindDueSchedules;
import dev.rowlock.queue.internal.store.schedule.FireSchedules;

/** What the scheduler does to the database. */
record ScheduleStatements(FindDueSchedules find, FireSchedules fire, JobStatements jobs) {

    ScheduleStatements(Database database) {
        this(new FindDueSchedules(database), new FireSchedules(database), new JobStatements(database));
    }
}
