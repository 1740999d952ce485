package dev.rowlock.queue.test;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Jobs as the test's transaction sees them. */
final class TestJobRows {

    private static final String JOBS = """
            SELECT id, type, queue, state, job_key, priority, attempt, date_part('epoch', due_at - enqueued_at) AS delay, payload,
                   (errors -> -1 ->> 'type') || ': ' || (errors -> -1 ->> 'message') AS error
              FROM %1$s.job_details WHERE id > :after ORDER BY id
            """;

    private static final String LAST = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %1$s.job_id";

    // What waits for the end of another job is due in 2255. A workflow that is open goes on, unless it waits for a
    // time.
    private static final String BUSY = """
            WITH live AS (
                SELECT id, state, type, queue, due_at FROM %1$s.job_details WHERE state IN ('waiting', 'ready', 'running')
            )
            SELECT format('job %%s: %%s on queue ''%%s'', %%s', id, type, queue, state) AS what
              FROM live WHERE state <> 'waiting' OR due_at <= clock_timestamp() + interval '2 s'
            UNION ALL
            SELECT format('job %%s, which runs once more after job %%s', f.job_id, f.after_id)
              FROM %1$s.once_more f WHERE f.after_id NOT IN (SELECT id FROM live)
            UNION ALL
            SELECT format('the death of job %%s, of which its listener will be told', d.id)
              FROM %1$s.dead d JOIN %1$s.dead_listener l ON l.type = d.type
             WHERE NOT d.told AND d.died_at AT TIME ZONE 'UTC' >= l.since AT TIME ZONE 'UTC'
            UNION ALL
            SELECT format('workflow %%s (%%s)', w.id, w.name)
              FROM %1$s.workflow w
             WHERE w.ended_at IS NULL
               AND NOT EXISTS (SELECT FROM %1$s.workflow_job j JOIN live l ON l.id = j.job_id
                                WHERE j.workflow_id = w.id AND l.due_at BETWEEN clock_timestamp() AND '2254-12-31Z')
            """;

    private final Rowlock rowlock;
    private final JdbcClient jdbc;
    private final String schema;

    TestJobRows(Rowlock rowlock) {
        this.rowlock = rowlock;
        this.jdbc = JdbcClient.create(rowlock.dataSource());
        this.schema = '"' + rowlock.schema() + '"';
    }

    /** The id that was given out last. */
    long last() {
        return jdbc.sql(LAST.formatted(schema)).query(Long.class).single();
    }

    /** All jobs with higher ids than this, in the order of their ids. */
    List<TestJob> after(long id) {
        return jdbc.sql(JOBS.formatted(schema)).param("after", id).query((row, number) -> job(row)).list().stream()
                .map(this::inClearText)
                .toList();
    }

    /** The search knows the keys of what is encrypted. */
    private TestJob inClearText(TestJob job) {
        if (!job.payload().startsWith("{\"$enc\"")
                && (job.error() == null || !job.error().endsWith(": (encrypted)"))) {
            return job;
        }
        JobDetails found = rowlock.search().find(job.id()).orElseThrow();
        FailedAttempt last = found.errors().isEmpty()
                ? null
                : found.errors().get(found.errors().size() - 1);
        return new TestJob(
                job.id(),
                job.type(),
                job.queue(),
                job.state(),
                job.key(),
                job.priority(),
                job.attempt(),
                job.delay(),
                found.payload(),
                last == null ? null : last.type() + ": " + last.message());
    }

    private static TestJob job(ResultSet row) throws SQLException {
        double delay = row.getDouble("delay");
        return new TestJob(
                row.getLong("id"),
                row.getString("type"),
                row.getString("queue"),
                JobState.of(row.getString("state")),
                row.getString("job_key"),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getObject("delay") == null ? null : Duration.ofMillis(Math.round(delay * 1000)),
                row.getString("payload"),
                row.getString("error"));
    }

    /** What runs now or is about to. */
    List<String> busy() {
        return jdbc.sql(BUSY.formatted(schema)).query(String.class).list();
    }
}
