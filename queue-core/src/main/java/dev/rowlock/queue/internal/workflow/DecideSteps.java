package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.DecideSteps.LockWaitingSteps.Found;
import dev.rowlock.queue.internal.workflow.DecideSteps.LockWaitingSteps.Locked;
import dev.rowlock.queue.internal.workflow.NoteEnds.Released;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import dev.rowlock.queue.internal.workflow.OpenJobs.OpenJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which steps may run now, are skipped, or come back after they were skipped. Lets those with few jobs run at once: that is what mostly happens.
 *
 * <p>Two statements in one transaction: the first one locks the steps, the second one looks with a newer snapshot at what they wait for. So of two
 * nodes that have each noted the end of another parent, the later one sees both.
 */
final class DecideSteps {

    /**
     * What was decided.
     *
     * @param ended of the given steps, those that may let others go on
     */
    public record Decided(List<StepKey> ended, Released released) {}

    /** What the steps before some steps say about them, which a query finds: their {@code workflow_id} and {@code step_no}. The last expression is {@code verdict}. */
    // A parent goes on as long as it has a job that has not ended, or may get one: a skipped one gets none, even if it
    // is open. Mostly no job of it is dead or was cancelled, and one look says so. Nobody looks for one that has not
    // ended where nothing depends on it: of a large step that may take long. Each table is reached step by step, so
    // that no plan walks through a whole one.
    static final String VERDICT = """
            asked AS MATERIALIZED (
                %s
            ), told AS MATERIALIZED (
                SELECT t.workflow_id, t.step_no, e.parent_no, e.runs_after, p.state, p.accepts,
                       p.other IS NOT NULL
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no AND m.failure = 1
                             ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NOT NULL AS failed, -- in this order, because only one index has it
                       p.other IS NOT NULL
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no AND m.failure >= 3
                             ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NOT NULL
                       -- Or it was skipped before anybody had added jobs to it.
                       OR p.state = 'skipped' AND p.other IS NULL
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no
                             ORDER BY m.step_no, m.job_id LIMIT 1) IS NULL AS cancelled
                  FROM asked t
                 CROSS JOIN LATERAL (
                       SELECT e.parent_no, e.runs_after FROM rowlock.workflow_edge e
                        WHERE e.workflow_id = t.workflow_id AND e.child_no BETWEEN t.step_no AND t.step_no
                        ORDER BY e.child_no, e.parent_no OFFSET 0) AS e -- likewise
                 CROSS JOIN LATERAL (
                       SELECT p.accepts, p.state,
                              (SELECT m.job_id FROM rowlock.workflow_job m
                                WHERE m.workflow_id = p.workflow_id AND m.step_no BETWEEN p.step_no AND p.step_no AND m.failure IS NOT NULL
                                ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) AS other
                         FROM rowlock.workflow_step p
                        WHERE p.workflow_id = t.workflow_id AND p.step_no = e.parent_no OFFSET 0) AS p
            ), parent AS MATERIALIZED (
                SELECT t.workflow_id, t.step_no, t.runs_after, t.failed, t.cancelled,
                       t.accepts AND t.state <> 'skipped' OR t.state IN ('waiting', 'releasing', 'skipping', 'reviving')
                       OR (t.runs_after = 'end' OR NOT (t.failed OR t.cancelled))
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.parent_no AND t.parent_no AND m.state = 0
                             ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NOT NULL AS going_on,
                       -- Nobody can redrive one of its jobs any more. Looked at once all have ended: there may be many.
                       t.runs_after = 'success-or-hold' AND t.failed AND NOT t.cancelled
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.parent_no AND t.parent_no AND m.state = 0
                             ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NULL
                       AND (WITH RECURSIVE failed AS (
                                (SELECT m.job_id FROM rowlock.workflow_job m
                                  WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.parent_no AND t.parent_no AND m.failure = 1
                                  ORDER BY m.step_no, m.failure, m.job_id)
                                UNION ALL
                                -- Or one of a workflow that was started by one of them.
                                SELECT CASE m.failure WHEN 1 THEN m.job_id END FROM failed f
                                 CROSS JOIN LATERAL (
                                       SELECT m.job_id, m.failure FROM rowlock.workflow_job m
                                        WHERE m.workflow_id = -f.job_id AND f.job_id < 0 AND m.failure IN (1, 3)
                                        ORDER BY m.step_no, m.failure, m.job_id OFFSET 0) AS m)
                            SELECT true FROM failed f
                             WHERE f.job_id IS NULL -- it was cancelled
                                OR f.job_id > 0
                                   AND coalesce((SELECT r.id FROM rowlock.dead r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.waiting r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.ready r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.running r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.done_jobs(ARRAY[f.job_id]) r LIMIT 1)) IS NULL
                             LIMIT 1) IS NOT NULL AS lost
                  FROM told t
            ), running AS MATERIALIZED (
                SELECT w.id
                  FROM (SELECT DISTINCT workflow_id FROM asked) AS t
                 CROSS JOIN LATERAL (
                       SELECT w.id FROM rowlock.workflow w WHERE w.id = t.workflow_id AND w.state IN ('running', 'failed') OFFSET 0) AS w
            ), verdict AS MATERIALIZED (
                SELECT v.*
                  FROM (SELECT workflow_id, step_no,
                               bool_and(CASE runs_after WHEN 'end' THEN NOT going_on
                                                        WHEN 'failure' THEN true
                                                        ELSE NOT going_on AND NOT failed AND NOT cancelled END)
                               AND coalesce(bool_or(failed OR cancelled) FILTER (WHERE runs_after = 'failure'), true) AS met,
                               bool_or(CASE runs_after WHEN 'success' THEN failed OR cancelled
                                                       WHEN 'success-or-hold' THEN cancelled OR lost -- nobody can redrive that
                                                       ELSE false END)
                               OR coalesce(bool_and(NOT going_on AND NOT failed AND NOT cancelled) FILTER (WHERE runs_after = 'failure'), false)
                               AS broken
                          FROM parent
                         GROUP BY workflow_id, step_no) AS v
                  JOIN running w ON w.id = v.workflow_id
                 WHERE v.met OR v.broken
            )
            """;

    // Rows that the transaction has locked. A step with few jobs and without a time of its own needs nobody else.
    private static final String SQL = """
            WITH locked AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::int[], ?::text[]::tid[], ?::text[], ?::boolean[])
                           AS t (workflow_id, step_no, place, state, at_once)
            ),
            """ + VERDICT.formatted("SELECT workflow_id, step_no FROM locked") + """
            , decided AS MATERIALIZED (
                SELECT l.place, l.workflow_id, l.step_no,
                       CASE WHEN NOT v.met THEN 'skipping' WHEN l.state = 'waiting' THEN 'releasing' ELSE 'reviving' END AS state,
                       CASE WHEN v.met AND l.state = 'waiting' AND l.at_once
                            THEN ARRAY(SELECT m.job_id FROM rowlock.workflow_job m
                                        WHERE m.workflow_id = l.workflow_id AND m.state = 0 AND m.step_no BETWEEN l.step_no AND l.step_no
                                        ORDER BY m.step_no, m.job_id LIMIT ?) END AS jobs -- in this order, because only one index has it
                  FROM verdict v JOIN locked l ON l.workflow_id = v.workflow_id AND l.step_no = v.step_no
                 WHERE v.met OR l.state = 'waiting'
            ), few AS MATERIALIZED (
                SELECT workflow_id, step_no, jobs FROM decided WHERE cardinality(jobs) < ? /* fewer_than */
            ), parked AS MATERIALIZED (
                -- Not those that somebody has let run before, or cancelled.
                SELECT w.id, w.ctid AS place FROM rowlock.waiting w
                 WHERE w.id = ANY (ARRAY(SELECT unnest(jobs) FROM few)) AND w.reason = 'parents'
                 ORDER BY w.id FOR UPDATE
            )
            """
            + NoteEnds.RELEASED + NoteEnds.RESULT;

    private final Database database;

    /**
     * Locks waiting steps about which may be decided now: given ones, or those that run after given ones; waits for their locks (patient), or
     * passes over those that are locked (others).
     */
    private final LockWaitingSteps lock;

    private final String sql;

    public DecideSteps(Database database) {
        this.database = database;
        this.lock = new LockWaitingSteps(database.schema());
        this.sql = database.sql(SQL);
    }

    /**
     * About steps that run after some of these: after one that has failed, or has no job any more that has not ended. Fails if somebody keeps one of
     * them locked, or a job of theirs.
     *
     * @param fewerThan so many jobs are moved with their step
     */
    public Decided after(Collection<Touched> parents, int fewerThan) {
        return database.atomically(
                connection -> decide(connection, lock.behind(connection, parents, false), fewerThan));
    }

    /** The same, but passes over those that somebody has locked, and moves no jobs. */
    public Decided afterOthers(Collection<Touched> parents) {
        return database.atomically(connection -> decide(connection, lock.behind(connection, parents, true), 0));
    }

    /** About these steps, as {@link #after}. */
    public Decided themselves(Collection<StepKey> steps, int fewerThan) {
        return database.atomically(connection -> decide(connection, lock.named(connection, steps, false), fewerThan));
    }

    /** About these steps, as {@link #afterOthers}. */
    public Decided others(Collection<StepKey> steps) {
        return database.atomically(connection -> decide(connection, lock.named(connection, steps, true), 0));
    }

    private Decided decide(Connection connection, Found found, int fewerThan) throws SQLException {
        if (found.locked().isEmpty()) {
            return new Decided(found.ended(), new Released());
        }
        // Its plan settings are those of the statement before.
        try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
            List<Locked> locked = found.locked();
            List<StepKey> steps = locked.stream().map(Locked::key).toList();
            statement.setObject(1, StepKey.workflows(steps));
            statement.setObject(2, StepKey.numbers(steps));
            statement.setObject(3, Columns.texts(locked, Locked::place));
            statement.setObject(4, Columns.texts(locked, Locked::state));
            statement.setObject(5, Columns.flags(locked, Locked::atOnce));
            for (int parameter = 6; parameter <= 8; parameter++) {
                statement.setInt(parameter, fewerThan);
            }
            Decided decided = new Decided(found.ended(), new Released());
            Row<Boolean> row = decided.released::add;
            row.all(statement);
            return decided;
        }
    }

    /** Locks steps about which somebody is about to decide, until the end of the transaction. Its plan settings last as long. */
    static final class LockWaitingSteps {

        // Of ten thousand ends of one step, only the last one has more to do. Jobs mostly end in the order of their
        // ids, so
        // the last one is the last that has not ended. Where they do not, a look from the back would walk past all that
        // have ended, each time: so it begins where the one before has found one, and goes round.
        private static final String BEHIND = """
                WITH looked AS MATERIALIZED (
                    SELECT t.workflow_id, t.step_no, t.failed,
                           coalesce(
                               (SELECT m.job_id FROM rowlock.workflow_job m
                                 WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.step_no AND t.step_no AND m.state = 0
                                   AND m.job_id <= t.hint
                                 ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1), -- in this order, because only one index has it
                               CASE WHEN t.hint < 9223372036854775807
                                    THEN (SELECT m.job_id FROM rowlock.workflow_job m
                                           WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.step_no AND t.step_no AND m.state = 0
                                             AND m.job_id > t.hint
                                           ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) END) AS open
                      FROM unnest(?::bigint[], ?::int[], ?::boolean[], ?::bigint[]) AS t (workflow_id, step_no, failed, hint)
                ), behind AS MATERIALIZED (
                    -- What runs after the end need not be looked at before it. Where all went well, a step has to wait for its other parents.
                    SELECT t.workflow_id, e.child_no AS step_no,
                           bool_and(e.runs_after <> 'failure' AND NOT t.failed
                                    AND (SELECT m.job_id FROM rowlock.workflow_job m
                                          WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.step_no AND t.step_no AND m.failure IS NOT NULL
                                          ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NULL) AS well
                      FROM looked t
                     CROSS JOIN LATERAL (
                           SELECT e.child_no, e.runs_after FROM rowlock.workflow_edge e
                            WHERE e.workflow_id = t.workflow_id AND e.parent_no BETWEEN t.step_no AND t.step_no
                            ORDER BY e.parent_no OFFSET 0) AS e -- likewise
                     WHERE t.open IS NULL OR t.failed AND e.runs_after <> 'end'
                     GROUP BY t.workflow_id, e.child_no
                ), child AS MATERIALIZED (
                    -- One parent with a job that has not ended is enough. Of ten thousand parents each would otherwise be looked at whenever one of
                    -- them ends. The look begins where the one before has found one, and goes round.
                    SELECT b.workflow_id, b.step_no, o.parent_no
                      FROM behind b
                      LEFT JOIN unnest(?::bigint[], ?::int[], ?::int[]) AS h (workflow_id, step_no, parent_no)
                        ON h.workflow_id = b.workflow_id AND h.step_no = b.step_no
                      LEFT JOIN LATERAL (
                           (SELECT e.parent_no FROM rowlock.workflow_edge e
                             WHERE b.well AND e.workflow_id = b.workflow_id AND e.child_no BETWEEN b.step_no AND b.step_no AND e.runs_after <> 'failure'
                               AND e.parent_no <= coalesce(h.parent_no, 2147483647)
                               AND (SELECT m.job_id FROM rowlock.workflow_job m
                                     WHERE m.workflow_id = e.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no AND m.state = 0
                                     ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NOT NULL
                             ORDER BY e.child_no DESC, e.parent_no DESC LIMIT 1)
                           UNION ALL
                           (SELECT e.parent_no FROM rowlock.workflow_edge e
                             WHERE b.well AND e.workflow_id = b.workflow_id AND e.child_no BETWEEN b.step_no AND b.step_no AND e.runs_after <> 'failure'
                               AND e.parent_no > h.parent_no
                               AND (SELECT m.job_id FROM rowlock.workflow_job m
                                     WHERE m.workflow_id = e.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no AND m.state = 0
                                     ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NOT NULL
                             ORDER BY e.child_no DESC, e.parent_no DESC LIMIT 1)
                           LIMIT 1) AS o ON true
                     ORDER BY b.workflow_id, b.step_no
                )
                """;

        private static final String NAMED = """
                WITH child AS MATERIALIZED (
                    SELECT t.workflow_id, t.step_no, NULL::int AS parent_no FROM unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
                     ORDER BY t.workflow_id, t.step_no
                )
                """;

        // One by one in this order: a plan for all of them at once may walk through all steps of all workflows. The
        // lock does not wait for those who are adding to an open step, so that one is not moved in the same
        // transaction.
        private static final String LOCKED = """
                SELECT c.workflow_id, c.step_no, c.place, c.state, c.at_once, NULL::bigint
                  FROM child t
                 CROSS JOIN LATERAL (
                       SELECT c.workflow_id, c.step_no, c.ctid AS place, c.state, c.due_at IS NULL AND c.delay_millis IS NULL AND NOT c.accepts AS at_once
                         FROM rowlock.workflow_step c
                        WHERE c.workflow_id = t.workflow_id AND c.step_no = t.step_no AND c.state IN ('waiting', 'skipped')
                          FOR NO KEY UPDATE %s) AS c
                 WHERE t.parent_no IS NULL
                """;

        private static final String LOOKED = """
                UNION ALL
                SELECT workflow_id, step_no, NULL, NULL, false, open FROM looked
                UNION ALL
                SELECT workflow_id, step_no, NULL, NULL, true, parent_no FROM child WHERE parent_no IS NOT NULL
                """;

        /**
         * What was found.
         *
         * @param ended of the given steps, those without a job that has not ended
         * @param locked steps that wait, or were skipped
         */
        record Found(List<StepKey> ended, List<Locked> locked) {}

        /**
         * A step that nobody else changes until the end of the transaction.
         *
         * @param place its row's
         * @param state waiting or skipped
         * @param atOnce its jobs have no time of their own, and nobody adds to it from outside
         */
        record Locked(StepKey key, String place, String state, boolean atOnce) {}

        private final OpenJobs<StepKey> openJobs = new OpenJobs<>();
        private final OpenJobs<StepKey> openParents = new OpenJobs<>();
        private final Texts patient;
        private final Texts others;

        private record Texts(String behind, String named) {

            static Texts of(Schema schema, String wait) {
                String locked = LOCKED.formatted(wait);
                return new Texts(
                        schema.sql(IndexPlan.LOOKS_PREFIX + BEHIND + locked + LOOKED),
                        schema.sql(IndexPlan.LOOKS_PREFIX + NAMED + locked));
            }
        }

        LockWaitingSteps(Schema schema) {
            this.patient = Texts.of(schema, "");
            this.others = Texts.of(schema, "SKIP LOCKED");
        }

        private Texts texts(boolean skipLocked) {
            return skipLocked ? others : patient;
        }

        /**
         * Locks those that run after some of these: after one that has failed, or has no job any more that has not ended. Not those that certainly have to wait
         * for another one.
         *
         * @param skipLocked passes over those that somebody else has locked; otherwise it waits a moment for each, and fails
         */
        Found behind(Connection connection, Collection<Touched> parents, boolean skipLocked) throws SQLException {
            List<Touched> some = List.copyOf(parents);
            List<StepKey> steps = some.stream().map(Touched::step).toList();
            Set<Long> workflows = steps.stream().map(StepKey::workflow).collect(Collectors.toSet());
            Map<StepKey, OpenJob> hints = openParents.of(step -> workflows.contains(step.workflow()));
            Found found = new Found(new ArrayList<>(), new ArrayList<>());
            IndexPlan.list(
                    connection,
                    texts(skipLocked).behind(),
                    row -> read(row, found),
                    StepKey.workflows(steps),
                    StepKey.numbers(steps),
                    Columns.flags(some, Touched::failed),
                    steps.stream().mapToLong(step -> openJobs.last(step).job()).toArray(),
                    StepKey.workflows(hints.keySet()),
                    StepKey.numbers(hints.keySet()),
                    hints.values().stream().mapToInt(OpenJob::step).toArray());
            return found;
        }

        Found named(Connection connection, Collection<StepKey> steps, boolean skipLocked) throws SQLException {
            Found found = new Found(new ArrayList<>(), new ArrayList<>());
            IndexPlan.list(
                    connection,
                    texts(skipLocked).named(),
                    row -> read(row, found),
                    StepKey.workflows(steps),
                    StepKey.numbers(steps));
            return found;
        }

        private Found read(ResultSet row, Found found) throws SQLException {
            StepKey key = StepKey.ROW.read(row);
            String place = row.getString(3);
            Long open = Columns.number(row, 6);
            if (place != null) {
                found.locked().add(new Locked(key, place, row.getString(4), row.getBoolean(5)));
            } else if (row.getBoolean(5)) {
                openParents.found(key, new OpenJob(row.getInt(6), 0));
            } else {
                openJobs.found(key, open == null ? null : new OpenJob(key.step(), open));
                if (open == null) {
                    found.ended().add(key);
                }
            }
            return found;
        }
    }
}
