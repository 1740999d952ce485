package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Room;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves the jobs of steps about which something was decided, some at a time, and says that the step has moved when it has come to the last one. One
 * statement moves a job and notes it, so that whoever comes again after a crash finds what is left.
 */
final class MoveSteps {

    // What the server refuses, each job by itself: its step stays as it is until it is taken.
    private static final String ASIDE = """
            WITH aside AS MATERIALIZED (
                SELECT m.job_id, m.workflow_id, m.step_no FROM rowlock.workflow_job m
                 WHERE m.job_id = ANY (?::bigint[]) AND m.state IN (0, 4)
                 ORDER BY m.job_id -- only one index has this order
            ), staying AS MATERIALIZED (
                SELECT workflow_id, step_no FROM aside UNION ALL SELECT * FROM unnest(?::bigint[] /* workflow_id */, ?::int[] /* step_no */)
            ),
            """;

    // With what tells the steps, and the jobs of each.
    private static final String STEPS = """
            step AS MATERIALIZED (
                SELECT t.workflow_id, t.step_no, s.place, s.state, s.due_at, s.delay_millis
                  FROM %s AS t (workflow_id, step_no)
                 CROSS JOIN LATERAL (
                       SELECT s.ctid AS place, s.state, s.due_at, s.delay_millis FROM rowlock.workflow_step s
                        WHERE s.workflow_id = t.workflow_id AND s.step_no = t.step_no AND s.state = ANY (?::text[]) OFFSET 0) AS s
            ), next AS MATERIALIZED (
                SELECT s.workflow_id, s.step_no, s.state, s.due_at, s.delay_millis, m.job_id, m.place,
                       m.job_id = ANY (ARRAY(SELECT job_id FROM aside)) AS aside
                  FROM step s
                 %s
            )
            """;

    private static final String WALKED =
            STEPS.formatted("unnest(?::bigint[] /* workflow_id */, ?::int[] /* step_no */)", """
                 CROSS JOIN LATERAL (
                       (SELECT m.job_id, m.ctid AS place FROM rowlock.workflow_job m
                         WHERE s.state <> 'reviving' AND m.workflow_id = s.workflow_id AND m.step_no BETWEEN s.step_no AND s.step_no
                           AND m.job_id > ? AND m.state = 0
                         ORDER BY m.step_no, m.job_id LIMIT ?) -- only one index has this order
                       UNION ALL
                       (SELECT m.job_id, m.ctid FROM rowlock.workflow_job m
                         WHERE s.state = 'reviving' AND m.workflow_id = s.workflow_id AND m.step_no BETWEEN s.step_no AND s.step_no
                           AND m.failure BETWEEN 4 AND 4 AND m.job_id > ?
                         ORDER BY m.step_no, m.failure, m.job_id LIMIT ?)) AS m -- likewise
            """);

    private static final String NAMED = """
            given AS MATERIALIZED (
                SELECT m.job_id, m.ctid AS place, m.workflow_id, m.step_no, m.state FROM rowlock.workflow_job m
                 WHERE m.job_id = ANY (?::bigint[])
                 ORDER BY m.job_id
            ),
            """ + STEPS.formatted("(SELECT DISTINCT workflow_id, step_no FROM given)", """
            JOIN given m ON m.workflow_id = s.workflow_id AND m.step_no = s.step_no AND m.state = CASE s.state WHEN 'reviving' THEN 4 ELSE 0 END
            """);

    private static final String MOVED = Move.of("freed", """
            , parked AS MATERIALIZED (
                -- Not those that somebody has let run before, or cancelled.
                SELECT w.id, w.ctid AS place FROM rowlock.waiting w
                 WHERE w.id = ANY (ARRAY(SELECT job_id FROM next WHERE state <> 'reviving' AND NOT aside)) AND w.reason = 'parents'
                 ORDER BY w.id FOR UPDATE
            ), from_waiting AS (
                DELETE FROM rowlock.waiting WHERE ctid = ANY (ARRAY(SELECT place FROM parked))
                RETURNING %1$s
            ), missed AS MATERIALIZED (
                -- Somebody has changed them in this moment, so this snapshot does not see them as they are: the next look takes them.
                SELECT id FROM parked EXCEPT SELECT id FROM from_waiting
            ), from_done AS MATERIALIZED (
                SELECT %1$s
                  FROM rowlock.take_skipped_jobs(ARRAY(SELECT job_id FROM next WHERE state = 'reviving' AND NOT aside))
            ), counted AS MATERIALIZED (
                SELECT n.workflow_id, n.step_no, count(*) AS jobs, count(x.id) AS missed, count(b.id) AS back
                  FROM next n LEFT JOIN missed x ON x.id = n.job_id LEFT JOIN from_done b ON b.id = n.job_id
                 GROUP BY n.workflow_id, n.step_no
            ), freed AS MATERIALIZED (
                SELECT j.*, n.place, n.state AS what, n.workflow_id, n.due_at, n.delay_millis
                  FROM (TABLE from_waiting UNION ALL TABLE from_done) AS j JOIN next n ON n.job_id = j.id
            )""".formatted(Room.JOB))
            .to(Room.DONE, "state = 'cancelled'", """
                    errors = rowlock.with_error(errors, attempt, NULL, jsonb_build_object(
                           'type', 'skipped', 'message', 'a step of workflow ' || workflow_id || ' that comes before it ended otherwise'))""")
            .when("what = 'skipping'")
            .orTo(
                    Room.WAITING,
                    "due_at = coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms')",
                    "reason = 'scheduled'")
            .when("delay_millis IS NOT NULL OR due_at > statement_timestamp()")
            .returning("due_at")
            .orTo(Room.READY, "ready_at = statement_timestamp()")
            .inQueueOrder()
            .returning("queue, rank, job_key")
            .answering("""
            , noted AS (
                -- What should come back and is not kept any more never runs, so its step has not succeeded.
                UPDATE rowlock.workflow_job SET state = CASE WHEN state <> 4 THEN 4 WHEN job_id = ANY (ARRAY(SELECT id FROM from_done)) THEN 0 ELSE 3 END
                 WHERE ctid = ANY (ARRAY(SELECT place FROM freed WHERE what = 'skipping' UNION ALL SELECT place FROM next WHERE state = 'reviving' AND NOT aside))
            ), moved AS (
                UPDATE rowlock.workflow_step s
                   SET state = CASE s.state WHEN 'skipping' THEN 'skipped' ELSE 'released' END
                  FROM step t LEFT JOIN counted c ON c.workflow_id = t.workflow_id AND c.step_no = t.step_no
                 WHERE s.ctid = ANY (ARRAY(SELECT place FROM step))
                   AND s.workflow_id + 0 = t.workflow_id AND s.step_no + 0 = t.step_no AND s.state = t.state
                   AND coalesce(c.jobs, 0) < ? /* fewer_than */ AND coalesce(c.missed, 0) = 0
                   AND (t.workflow_id, t.step_no) NOT IN (SELECT workflow_id, step_no FROM staying)
                RETURNING s.workflow_id, s.step_no, s.state = 'skipped' OR c.jobs IS NULL OR t.state = 'reviving' AND c.back = 0 AS ended
            )
            SELECT 1, workflow_id, step_no, NULL::text, NULL::int, NULL::bigint, ended, NULL::float8, NULL::text[]
              FROM moved
            UNION ALL
            SELECT 2, NULL, NULL, queue, min(rank), count(*), NULL, NULL, %s FROM into_ready GROUP BY queue
            UNION ALL
            SELECT 3, NULL, NULL, NULL, NULL, NULL, NULL, date_part('epoch', min(due_at) - statement_timestamp()), NULL
              FROM into_waiting HAVING count(*) > 0
            UNION ALL
            SELECT 4, NULL, NULL, max(state), NULL, coalesce((SELECT min(id) - 1 FROM missed), max(job_id)), NULL, NULL, NULL FROM next HAVING count(*) > 0
            """.formatted(ReadyJobs.KEYS));

    /** States of a step whose jobs are to be moved. */
    public static final List<String> MOVING = List.of("releasing", "skipping", "reviving");

    /**
     * Which jobs are to be moved.
     *
     * @param steps of these
     * @param states if they are in one of these
     * @param behind only those with a higher id
     * @param limit so many of each step at most
     * @param busy steps that stay as they are
     */
    public record Walk(
            Collection<StepKey> steps, List<String> states, long behind, int limit, Collection<StepKey> busy) {}

    /**
     * A step whose last job has moved.
     *
     * @param ended it has no job that runs now or later
     */
    public record MovedStep(StepKey key, boolean ended) {}

    /**
     * What one call did.
     *
     * @param steps whose last job has moved
     * @param nextDue when the first of those is due that have a time of their own; null: none
     * @param last behind which the next look begins: the highest id that was looked at, or the one before the first that could not be moved; 0: none
     * @param state of one of the steps, as it was before; null: there was nothing to be moved
     */
    public record Moved(
            List<MovedStep> steps,
            List<ReadyJobs> ready,
            @Nullable Duration nextDue,
            long last,
            @Nullable String state) {}

    private final Database database;
    private final EnsureDonePartitions partitions;

    /** Moves jobs of steps that are released, skipped or revived, so many at a time: to ready or waiting, or to done. */
    private final String walked;

    /** Moves given jobs of such steps. */
    private final String named;

    /** Lists the jobs that would be moved so. */
    private final String names;

    public MoveSteps(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.walked = database.sql(IndexPlan.LOOKS_PREFIX + ASIDE + WALKED + MOVED);
        this.named = database.sql(IndexPlan.LOOKS_PREFIX + ASIDE + NAMED + MOVED);
        this.names = database.sql(IndexPlan.LOOKS_PREFIX + ASIDE + WALKED + "SELECT job_id FROM next WHERE NOT aside");
    }

    /**
     * Moves some jobs.
     *
     * @param aside not these; their steps stay as they are
     */
    public Moved run(Walk walk, List<Long> aside) {
        return partitions.around(() -> database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, walked)) {
                setWalk(statement, walk, aside);
                statement.setInt(11, walk.limit());
                return read(statement);
            }
        }));
    }

    /** Moves only these jobs, of whatever steps. Those steps have not moved by that. */
    public Moved named(List<Long> jobs) {
        return partitions.around(() -> database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, named)) {
                statement.setObject(1, new long[0]);
                StepKey.set(statement, 2, List.of());
                statement.setObject(4, Columns.longs(jobs, Long::longValue));
                statement.setObject(5, Columns.texts(MOVING, state -> state));
                statement.setInt(6, 0);
                return read(statement);
            }
        }));
    }

    /** The jobs that {@link #run} would move. */
    public List<Long> names(Walk walk, List<Long> aside) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, names)) {
                setWalk(statement, walk, aside);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }

    private static void setWalk(PreparedStatement statement, Walk walk, List<Long> aside) throws SQLException {
        statement.setObject(1, Columns.longs(aside, Long::longValue));
        StepKey.set(statement, 2, walk.busy());
        StepKey.set(statement, 4, walk.steps());
        statement.setObject(6, Columns.texts(walk.states(), state -> state));
        for (int parameter = 7; parameter <= 9; parameter += 2) {
            statement.setLong(parameter, walk.behind());
            statement.setInt(parameter + 1, walk.limit());
        }
    }

    private static Moved read(PreparedStatement statement) throws SQLException {
        List<MovedStep> steps = new ArrayList<>();
        List<ReadyJobs> ready = new ArrayList<>();
        Duration nextDue = null;
        String state = null;
        long last = 0;
        try (ResultSet rows = IndexPlan.query(statement)) {
            while (rows.next()) {
                switch (rows.getInt(1)) {
                    case 1 ->
                        steps.add(new MovedStep(new StepKey(rows.getLong(2), rows.getInt(3)), rows.getBoolean(7)));
                    case 2 ->
                        ready.add(new ReadyJobs(
                                rows.getString(4), rows.getInt(5), rows.getLong(6), ReadyJobs.keys(rows, 9)));
                    case 3 -> nextDue = Duration.ofMillis((long) Math.ceil(Math.max(0, rows.getDouble(8)) * 1000));
                    default -> {
                        state = rows.getString(4);
                        last = Columns.number(rows, 6) == null ? 0 : rows.getLong(6);
                    }
                }
            }
        }
        return new Moved(List.copyOf(steps), List.copyOf(ready), nextDue, last, state);
    }
}
