package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.wake.WakeupBus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the jobs of steps about which something was decided, some at a time, and notes that a step has moved when it has come to its last job. One
 * statement moves a job and notes it, so that whoever comes again after a crash finds what is left.
 */
final class MoveSteps {

    /**
     * Moves the jobs of steps, and wakes the nodes that can run them. Jobs of large steps move in rounds, some in each. A job that the database
     * rejects does not hold up others. One thread.
     */
    static final class Rounds {

        private static final Logger log = LoggerFactory.getLogger(MoveSteps.class);

        /** So many jobs of a large step are moved by one statement. */
        private static final int CHUNK = 1_000;

        /** Where the server refuses all jobs, so often some are left aside before the others wait for the sweep. */
        private static final int ROUNDS = 11;

        /** Beyond so many large steps the sweep finds the others. */
        private static final int MOST = 100_000;

        /**
         * How far the jobs of a large step have moved.
         *
         * @param busy whether it stays as it is, because of those who add to it
         * @param state of the step; null: none has moved yet. It has each state only once, so that the place means nothing in another one
         * @param behind the next one has a higher id
         */
        private record Moving(boolean busy, @Nullable String state, long behind) {}

        private final MoveSteps statements;
        private final WakeupBus wakeups;
        private final RefusedJobs refused;
        private final Map<StepKey, Moving> large = new LinkedHashMap<>();

        Rounds(Database database, WakeupBus wakeups) {
            this(database, wakeups, new RefusedJobs("that are to go on with their step cannot be moved"));
        }

        Rounds(Database database, WakeupBus wakeups, RefusedJobs refused) {
            this.statements = new MoveSteps(database);
            this.wakeups = wakeups;
            this.refused = refused;
        }

        /**
         * Moves the jobs of these steps if they have few, and of the others in rounds. Returns those whose last job has moved, and that get no more jobs that
         * wait with them.
         */
        List<MovedStep> of(List<StepKey> steps) {
            List<MovedStep> moved = new ArrayList<>();
            List<StepKey> fresh =
                    steps.stream().filter(step -> !large.containsKey(step)).toList();
            Progress.parts(fresh).forEach(some -> moved.addAll(together(some)));
            return moved;
        }

        private List<MovedStep> together(List<StepKey> steps) {
            List<MovedStep> moved = new ArrayList<>();
            Set<StepKey> added = statements.busy(steps); // before the first look at their jobs
            try {
                moved.addAll(some(new Walk(steps, MOVING, 0, Progress.FEW, added)).steps);
            } catch (RuntimeException e) {
                log.debug("moving {} steps together failed; moving them one by one", steps.size(), e);
            }
            Set<StepKey> left = new LinkedHashSet<>(steps);
            moved.forEach(step -> left.remove(step.key()));
            for (StepKey step : left) { // with many jobs, or of a part that failed: it must not keep the others
                if (large.size() < MOST) {
                    large.put(step, new Moving(added.contains(step), null, 0));
                }
            }
            return moved;
        }

        /** Whether there are large steps with jobs to be moved. */
        boolean unfinished() {
            return !large.isEmpty();
        }

        /** Moves some jobs of a large step, each time of another one. Returns it if that was the last of them. */
        List<MovedStep> round() {
            Iterator<Map.Entry<StepKey, Moving>> first = large.entrySet().iterator();
            if (!first.hasNext()) {
                return List.of();
            }
            Map.Entry<StepKey, Moving> next = first.next();
            first.remove();
            return some(next.getKey(), next.getValue());
        }

        private List<MovedStep> some(StepKey step, Moving place) {
            List<String> states = place.state() == null ? MOVING : List.of(place.state());
            try {
                Moved some = some(
                        new Walk(List.of(step), states, place.behind(), CHUNK, place.busy() ? Set.of(step) : Set.of()));
                if (some.steps.isEmpty() && some.last > 0) {
                    large.put(step, new Moving(place.busy(), some.state, some.last));
                }
                return some.steps;
            } catch (RuntimeException e) { // the sweep tries it again
                log.warn(
                        "moving the jobs of step {} of workflow {} failed; will retry within a minute",
                        step.step(),
                        step.workflow(),
                        e);
                return List.of();
            }
        }

        private Moved some(Walk walk) {
            for (int round = 1; ; round++) {
                try {
                    Moved moved = statements.run(walk, refused.ids());
                    tell(moved);
                    return moved;
                } catch (RuntimeException e) {
                    // Otherwise parts would only wait longer: for each job that somebody keeps locked, say.
                    if (!BatchSplitter.isOfARow(e) || round == ROUNDS) {
                        throw e;
                    }
                    refused.apart(() -> statements.names(walk, refused.ids()), this::named, e);
                }
            }
        }

        private void named(List<Long> jobs) {
            tell(statements.named(jobs));
        }

        /** Tries again to move what the server has refused, when it is time. Their steps have moved when somebody looks at them after that. */
        void tryAgain() {
            if (refused.isDue()) {
                try {
                    refused.tryAgain(this::named, CHUNK);
                } catch (RuntimeException e) {
                    // Somebody keeps one of them locked, say: that must not keep other steps.
                    log.debug("retrying jobs that the database had rejected failed; will retry later", e);
                }
            }
        }

        private void tell(Moved moved) {
            tell(moved.ready);
            Duration nextDue = moved.nextDue;
            if (nextDue != null) {
                wakeups.jobsWaiting(nextDue);
            }
        }

        void tell(List<ReadyJobs> ready) {
            ready.forEach(each -> each.wake(wakeups));
        }
    }

    /** States of a step whose jobs are to be moved. */
    static final List<String> MOVING = List.of("releasing", "skipping", "reviving");

    /**
     * Which jobs are to be moved.
     *
     * @param steps of these
     * @param states if they are in one of these
     * @param behind only those with a higher id
     * @param limit so many of each step at most
     * @param busy steps that stay as they are
     */
    record Walk(Collection<StepKey> steps, List<String> states, long behind, int limit, Collection<StepKey> busy) {}

    /**
     * A step whose last job has moved.
     *
     * @param ended it has no job that runs now or later
     */
    record MovedStep(StepKey key, boolean ended) {}

    /** What one call did. */
    static final class Moved {

        /** Those whose last job has moved. */
        final List<MovedStep> steps = new ArrayList<>();

        final List<ReadyJobs> ready = new ArrayList<>();

        /** When the first of those is due that have a time of their own; null: none. */
        @Nullable
        Duration nextDue;

        /** Behind which the next look begins: the highest id that was looked at, or the one before the first that could not be moved; 0: none. */
        long last;

        /** Of one of the steps, as it was before; null: there was nothing to be moved. */
        @Nullable
        String state;

        private Moved add(ResultSet row) throws SQLException {
            switch (row.getInt(1)) {
                case 1 -> steps.add(new MovedStep(new StepKey(row.getLong(2), row.getInt(3)), row.getBoolean(7)));
                case 2 ->
                    ready.add(new ReadyJobs(row.getString(4), row.getInt(5), row.getLong(6), Columns.textList(row, 9)));
                case 3 -> nextDue = Duration.ofMillis((long) Math.ceil(Math.max(0, row.getDouble(8)) * 1000));
                default -> {
                    state = row.getString(4);
                    last = row.getLong(6);
                }
            }
            return this;
        }
    }

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

    // Closed ones have none: whoever closes waits for all who add.
    private static final String BUSY = IndexPlan.LOOKS_PREFIX + """
            SELECT s.workflow_id, s.step_no
              FROM unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
             CROSS JOIN LATERAL (
                   SELECT s.workflow_id, s.step_no FROM rowlock.workflow_step s
                    WHERE s.workflow_id = t.workflow_id AND s.step_no = t.step_no AND s.accepts OFFSET 0) AS s
              LEFT JOIN LATERAL (
                   SELECT f.step_no FROM rowlock.workflow_step f
                    WHERE f.workflow_id = s.workflow_id AND f.step_no = s.step_no
                      FOR UPDATE SKIP LOCKED) AS free ON true
             WHERE free.step_no IS NULL
            """;

    private final Database database;
    private final EnsureDonePartitions partitions;

    /** Moves jobs of steps that are released, skipped or revived, so many at a time: to ready or waiting, or to done. */
    private final String walked;

    /** Moves given jobs of such steps. */
    private final String named;

    /** Lists the jobs that would be moved so. */
    private final String names;

    private final String busy;

    MoveSteps(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.walked = database.sql(IndexPlan.LOOKS_PREFIX + ASIDE + WALKED + MOVED);
        this.named = database.sql(IndexPlan.LOOKS_PREFIX + ASIDE + NAMED + MOVED);
        this.names = database.sql(IndexPlan.LOOKS_PREFIX + ASIDE + WALKED + "SELECT job_id FROM next WHERE NOT aside");
        this.busy = database.sql(BUSY);
    }

    /**
     * Moves some jobs.
     *
     * @param aside not these; their steps stay as they are
     */
    Moved run(Walk walk, List<Long> aside) {
        return partitions.around(() -> database.atOnce(connection -> {
            Moved moved = new Moved();
            IndexPlan.list(connection, walked, moved::add, values(walk, aside, walk.limit()));
            return moved;
        }));
    }

    /** Moves only these jobs, of whatever steps. Those steps have not moved by that. */
    Moved named(List<Long> jobs) {
        return partitions.around(() -> database.atOnce(connection -> {
            Moved moved = new Moved();
            IndexPlan.list(
                    connection,
                    named,
                    moved::add,
                    new long[0],
                    new long[0],
                    new int[0],
                    Columns.longs(jobs, Long::longValue),
                    MOVING.toArray(String[]::new),
                    0);
            return moved;
        }));
    }

    /** The jobs that {@link #run} would move. */
    List<Long> names(Walk walk, List<Long> aside) {
        return database.atOnce(
                connection -> IndexPlan.list(connection, names, row -> row.getLong(1), values(walk, aside)));
    }

    private static Object[] values(Walk walk, List<Long> aside, Object... more) {
        List<Object> values = new ArrayList<>(List.of(
                Columns.longs(aside, Long::longValue),
                StepKey.workflows(walk.busy()),
                StepKey.numbers(walk.busy()),
                StepKey.workflows(walk.steps()),
                StepKey.numbers(walk.steps()),
                walk.states().toArray(String[]::new),
                walk.behind(),
                walk.limit(),
                walk.behind(),
                walk.limit()));
        values.addAll(List.of(more));
        return values.toArray();
    }

    /**
     * Finds those of these steps that are open, to which transactions have added jobs while they waited, and have not ended. A step that has left
     * waiting gets no more of these. So once it is not found here, whoever walks through its jobs after that sees all that wait with it.
     */
    Set<StepKey> busy(Collection<StepKey> steps) {
        return Set.copyOf(database.atOnce(connection ->
                IndexPlan.list(connection, busy, StepKey.ROW, StepKey.workflows(steps), StepKey.numbers(steps))));
    }
}
