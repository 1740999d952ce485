package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.schedule.StoredSchedule.Timing;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.RecurringJob;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A recurring job on its way into the table.
 *
 * @param job what its jobs carry
 */
public record ScheduleRow(RecurringJob recurring, NewJob job) {

    /** Its columns. */
    static final String COLUMNS = """
            cron, zone, every_millis, jitter_millis, missed, missed_runs, missed_window_millis, overlap, rank, max_retries,
            timeout_millis, queue, type, payload, headers, job_key""";

    /** As many parameters, which {@link #values} sets. */
    static final String PARAMETERS = """
            :cron::text, :zone::text, :every_millis::bigint, :jitter_millis::bigint, :missed::text, :missed_runs::int,
            :missed_window_millis::bigint, :overlap::text, :rank::smallint, :max_retries::smallint, :timeout_millis::bigint,
            :queue::text, :type::text, :payload::json, :headers::json, :job_key::text""";

    public String name() {
        return recurring.name();
    }

    Timing timing() {
        return Timing.of(recurring.schedule());
    }

    Map<String, @Nullable Object> values() {
        Map<String, @Nullable Object> values = new HashMap<>();
        Timing timing = timing();
        MissedRuns missed = recurring.missed();
        values.put("cron", timing.cron());
        values.put("zone", timing.zone());
        values.put("every_millis", timing.everyMillis());
        values.put("jitter_millis", recurring.jitter().toMillis());
        values.put("missed", word(missed.policy()));
        values.put("missed_runs", missed.most());
        values.put("missed_window_millis", missed.window().toMillis());
        values.put("overlap", word(recurring.overlap()));
        values.put("rank", job.rank());
        values.put("max_retries", job.maxRetries());
        values.put(
                "timeout_millis", job.timeout() == null ? null : job.timeout().toMillis());
        values.put("queue", job.queue());
        values.put("type", job.type());
        values.put("payload", job.payload());
        values.put("headers", job.headers());
        values.put("job_key", job.key());
        return values;
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
