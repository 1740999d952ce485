package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.operate.PayloadRules;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.internal.schedule.ScheduleRow;
import dev.rowlock.queue.internal.schedule.StoredRecurringJobs;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import java.lang.reflect.Type;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The front doors with wake-ups of a test's choice, for tests of other packages; applications take {@link Rowlock}'s. */
public final class FrontDoors {

    private FrontDoors() {}

    public static JobTemplate jobs(Database database, PayloadCodec codec, Wakeups wakeups) {
        return new JobTemplate(database, codec, 1 << 20, type -> null, wakeups);
    }

    public static JobAdmin admin(Database database, Wakeups wakeups) {
        return admin(database, wakeups, type -> null);
    }

    /** @param types what payloads are decoded to */
    public static JobAdmin admin(Database database, Wakeups wakeups, Function<String, @Nullable Type> types) {
        PayloadCodec codec = new JacksonPayloadCodec(JsonMapper.shared());
        return new JobAdmin(database, wakeups, new PayloadRules(codec, 1 << 20, types));
    }

    /** Recurring jobs in the form of their table. */
    public static Function<RecurringJob, ScheduleRow> scheduleRows(Database database, PayloadCodec codec) {
        JobTemplate jobs = jobs(database, codec, Wakeups.NONE);
        return job -> new ScheduleRow(job, jobs.newJob(new JobRequest(job.payload(), job.options())));
    }

    public static RecurringJobs recurringJobs(Database database, PayloadCodec codec, Wakeups wakeups) {
        return new StoredRecurringJobs(database, wakeups, scheduleRows(database, codec));
    }

    /** Policies that are given up, and asked again, ten times as soon. */
    public static RowlockBuilder quickPolicies(RowlockBuilder builder) {
        return builder.policyTimes(PolicyTimes.DEFAULT.faster(10));
    }

    public static JobSearch search(Database database) {
        return new JobSearch(database);
    }
}
