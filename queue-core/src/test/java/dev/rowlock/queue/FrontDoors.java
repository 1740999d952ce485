package dev.rowlock.queue;

import dev.rowlock.queue.internal.schedule.StoredRecurringJobs;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.schedule.ScheduleRow;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import java.util.function.Function;

/** The front doors with wake-ups of a test's choice, for tests of other packages; applications take {@link Rowlock}'s. */
public final class FrontDoors {

    private FrontDoors() {}

    public static JobTemplate jobs(Database database, PayloadCodec codec, Wakeups wakeups) {
        return new JobTemplate(database, codec, 1 << 20, type -> null, wakeups);
    }

    public static JobAdmin admin(Database database, Wakeups wakeups) {
        return new JobAdmin(database, wakeups);
    }

    /** Recurring jobs in the form of their table. */
    public static Function<RecurringJob, ScheduleRow> scheduleRows(Database database, PayloadCodec codec) {
        JobTemplate jobs = jobs(database, codec, Wakeups.NONE);
        return job -> ScheduleRow.of(job, jobs.newJob(new JobRequest(job.payload(), job.options())));
    }

    public static RecurringJobs recurringJobs(Database database, PayloadCodec codec, Wakeups wakeups) {
        return new StoredRecurringJobs(database, wakeups, scheduleRows(database, codec));
    }

    public static JobSearch search(Database database) {
        return new JobSearch(database);
    }
}
