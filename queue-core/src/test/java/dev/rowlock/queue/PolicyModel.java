package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What must hold of jobs that a policy chooses, whatever dies: none begins more often than it was chosen, while the policy decides; none is lost;
 * each has an effect once, if it completes, and none otherwise; limits hold. Effects and what runs at once, the database notes.
 */
final class PolicyModel {

    private final JdbcClient jdbc;
    private final Map<Long, Integer> chosen = new HashMap<>(); // guarded by this, as are those below
    private final Map<Long, Integer> begun = new HashMap<>();
    private final Map<Integer, Integer> attempts =
            new HashMap<>(); // by number of the work: retries of replaced jobs begin anew
    private final Set<Long> asked = new HashSet<>();
    private final Set<Long> mayBeCancelled = new HashSet<>();
    private final List<String> broken = new ArrayList<>();
    private boolean decides = true;

    PolicyModel(TestDatabase database) {
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    /** Once the tables are there. */
    void watch() {
        jdbc.sql("""
                CREATE TABLE effect (job_id bigint NOT NULL);
                CREATE TABLE moved (seq bigserial, job_key text, change int NOT NULL);
                CREATE FUNCTION note_running() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF TG_OP = 'INSERT' THEN
                        INSERT INTO public.moved (job_key, change) VALUES (NEW.job_key, 1);
                    ELSE
                        INSERT INTO public.moved (job_key, change) VALUES (OLD.job_key, -1);
                    END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER note_running AFTER INSERT OR DELETE ON rowlock.running
                   FOR EACH ROW EXECUTE FUNCTION note_running();
                """).update();
    }

    synchronized void asked(long id) {
        asked.add(id);
    }

    synchronized void mayBeCancelled(long id) {
        mayBeCancelled.add(id);
    }

    /** A good answer, before anybody acts on it. */
    synchronized void chosen(List<Long> ids) {
        ids.forEach(id -> chosen.merge(id, 1, Integer::sum));
    }

    /** From now on jobs may run without the policy. */
    synchronized void decidesNoMore() {
        decides = false;
    }

    /** A handler begins. Returns how often it has been tried before, as far as handlers have seen. */
    synchronized int begins(JobContext job, int number) {
        int times = begun.merge(job.id(), 1, Integer::sum);
        int allowed = chosen.getOrDefault(job.id(), 0);
        if (decides && times > allowed) {
            broken.add("job %d, attempt %d, began the %d. time and was chosen %d times"
                    .formatted(job.id(), job.attempt(), times, allowed));
        }
        return attempts.merge(number, 1, Integer::sum) - 1;
    }

    synchronized Set<Long> begun() {
        return Set.copyOf(begun.keySet());
    }

    synchronized void requireUnbroken() {
        assertThat(broken).isEmpty();
    }

    /** All jobs have ended. */
    synchronized void assertAllEndedWell(QueueLimit rule) {
        assertThat(broken).isEmpty();
        Map<Long, String> states = new HashMap<>();
        jdbc.sql("SELECT id, state FROM rowlock.job").query(row -> {
            states.put(row.getLong(1), row.getString(2));
        });
        assertThat(states.keySet()).as("no job is lost").containsAll(asked);
        states.forEach((id, state) -> assertThat(state)
                .as("job %d", id)
                .isIn(mayBeCancelled.contains(id) ? Set.of("completed", "cancelled") : Set.of("completed")));
        assertThat(list("SELECT job_id FROM effect ORDER BY 1"))
                .as("each job has its effect once if it has completed, otherwise never")
                .isEqualTo(list("SELECT id FROM rowlock.job WHERE state = 'completed' ORDER BY 1"));
        assertThat(list("""
                        SELECT id FROM rowlock.done
                         WHERE state = 'completed' AND claimed_at < enqueued_at + coalesce(headers ->> 'delay', '0')::int * interval '1 ms'
                        """)).as("jobs that began before they were due").isEmpty();
        assertThat(list("""
                        SELECT b.id FROM rowlock.done a JOIN rowlock.done b
                            ON b.headers ->> 'unique' = a.headers ->> 'unique' AND b.id > a.id
                         WHERE b.enqueued_at < a.finished_at
                        """)).as("jobs beside others of their unique key").isEmpty();
        assertThat(list("""
                        SELECT after.id FROM rowlock.done after JOIN rowlock.done before
                            ON after.headers ->> 'after' = before.headers ->> 'before'
                         WHERE after.claimed_at < before.finished_at
                        """))
                .as("steps that began before the step before them had ended")
                .isEmpty();
        assertLimits(rule);
    }

    private void assertLimits(QueueLimit rule) {
        if (rule.maxRunning() != null) {
            assertThat(most("")).as("%s", rule).isLessThanOrEqualTo(rule.maxRunning());
        }
        if (rule.maxRunningPerKey() != null) {
            assertThat(most("PARTITION BY job_key")).as("%s", rule).isLessThanOrEqualTo(rule.maxRunningPerKey());
        }
    }

    private int most(String window) {
        String keyed = window.isEmpty() ? "" : "WHERE job_key IS NOT NULL";
        return jdbc.sql(
                        "SELECT max(running) FROM (SELECT job_key, sum(change) OVER (%s ORDER BY seq) AS running FROM moved) m %s"
                                .formatted(window, keyed))
                .query(Integer.class)
                .single();
    }

    private List<Long> list(String sql) {
        return jdbc.sql(sql).query(Long.class).list();
    }
}
