package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds jobs and steps about which something may be left to do, a stretch at a time. Waits for nobody. */
final class FindSteps {

    // Of workflows that run, or have failed and may be redriven. Those that were completed are only walked past.
    private static final String JOBS = IndexPlan.LOOKS_PREFIX + """
            SELECT m.workflow_id, m.step_no, m.job_id, m.state <= 1
              FROM rowlock.workflow w
             CROSS JOIN LATERAL (
                   SELECT m.job_id, m.workflow_id, m.step_no, m.state FROM rowlock.workflow_job m
                    WHERE m.workflow_id = w.id AND (m.step_no, m.job_id) > (CASE WHEN w.id > ? THEN -1 ELSE ? /* behind_step */ END, ?)
                    ORDER BY m.step_no, m.job_id LIMIT ?) AS m
             WHERE w.id >= ? AND w.state IN ('running', 'cancelling', 'failed')
             ORDER BY w.id, m.step_no, m.job_id LIMIT ?
            """;

    private static final String UNDECIDED = IndexPlan.LOOKS_PREFIX + """
            WITH looked AS MATERIALIZED (
                SELECT s.workflow_id, s.step_no, s.state
                  FROM rowlock.workflow w
                 CROSS JOIN LATERAL (
                       SELECT s.* FROM rowlock.workflow_step s
                        WHERE s.workflow_id = w.id AND s.step_no > CASE WHEN w.id > ? THEN -1 ELSE ? /* behind_step */ END
                        ORDER BY s.step_no LIMIT ?) AS s
                 WHERE w.id >= ? AND w.state IN ('running', 'failed')
                 ORDER BY w.id, s.step_no LIMIT ?
            ),
            """
            + DecideSteps.VERDICT.formatted(
                    "SELECT workflow_id, step_no FROM looked WHERE state IN ('waiting', 'skipped')")
            + """
            SELECT l.workflow_id, l.step_no,
                   v.workflow_id IS NOT NULL AND (v.met OR l.state = 'waiting')
              FROM looked l
              LEFT JOIN verdict v ON v.workflow_id = l.workflow_id AND v.step_no = l.step_no
             ORDER BY l.workflow_id, l.step_no
            """;

    private static final String MOVING = IndexPlan.PREFIX + """
            SELECT workflow_id, step_no FROM rowlock.workflow_step
             WHERE moving AND (workflow_id, step_no) > (?, ?)
             ORDER BY workflow_id, step_no LIMIT ?
            """;

    /** How far a walk through all jobs has come. */
    record JobPosition(long workflow, int step, long job) {

        static final JobPosition FRONT = new JobPosition(0, -1, 0);
    }

    /** A job that a walk passes by; {@code open}: it has not ended well, as far as is noted. */
    private record Passed(JobPosition position, boolean open) {}

    /** Jobs that have not ended well, as far as is noted; {@code end} is null where there is nothing behind them. */
    record Unended(List<Long> ids, @Nullable JobPosition end) {}

    /** A step that a walk passes by; {@code undecided}: somebody should have decided about it. */
    private record Looked(StepKey step, boolean undecided) {}

    /**
     * Steps about which somebody should have decided.
     *
     * @param workflows all whose steps were looked at
     * @param end the last step that was looked at; null: there is nothing behind it
     */
    record Undecided(
            List<StepKey> steps,
            Set<Long> workflows,
            @Nullable StepKey end) {}

    private final Database database;

    /** Walks past so many jobs of workflows behind a place. */
    private final String jobs;

    /** Walks through the steps of workflows that run, and finds those about which somebody should have decided. */
    private final String undecided;

    /** Finds steps whose jobs somebody was about to move. */
    private final String moving;

    FindSteps(Database database) {
        this.database = database;
        this.jobs = database.sql(JOBS);
        this.undecided = database.sql(UNDECIDED);
        this.moving = database.sql(MOVING);
    }

    /** Walks past so many jobs behind a place. */
    Unended open(JobPosition behind, int limit) {
        List<Passed> passed = database.atOnce(connection -> IndexPlan.list(
                connection,
                jobs,
                row -> new Passed(new JobPosition(row.getLong(1), row.getInt(2), row.getLong(3)), row.getBoolean(4)),
                behind.workflow(),
                behind.step(),
                behind.job(),
                limit,
                behind.workflow(),
                limit));
        return new Unended(
                passed.stream()
                        .filter(Passed::open)
                        .map(job -> job.position.job)
                        .toList(),
                passed.size() == limit ? passed.get(limit - 1).position : null);
    }

    /** Looks at so many steps behind this one. */
    Undecided undecided(StepKey behind, int limit) {
        List<Looked> looked = database.atOnce(connection -> IndexPlan.list(
                connection,
                undecided,
                row -> new Looked(StepKey.ROW.read(row), row.getBoolean(3)),
                behind.workflow(),
                behind.step(),
                limit,
                behind.workflow(),
                limit));
        return new Undecided(
                looked.stream().filter(Looked::undecided).map(Looked::step).toList(),
                looked.stream().map(each -> each.step.workflow()).collect(Collectors.toCollection(LinkedHashSet::new)),
                looked.size() == limit ? looked.get(limit - 1).step : null);
    }

    /** Finds steps whose jobs somebody was about to move, in order: the next ones behind this one. */
    List<StepKey> moving(StepKey behind, int limit) {
        return database.atOnce(
                connection -> IndexPlan.list(connection, moving, StepKey.ROW, behind.workflow(), behind.step(), limit));
    }
}
