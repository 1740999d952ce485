-- Workflows: jobs that run after others. Jobs whose turn has not come lie in waiting, with the reason parents and a due time that
-- never comes. Outcomes know nothing of workflows: what is written here about ended jobs is written after them, and follows from the rooms.

SET LOCAL lock_timeout = '50ms';

CREATE TABLE ${schema}.workflow (
    id         bigint      NOT NULL PRIMARY KEY,        -- from the sequence of jobs, which moves on after a recovery
    name       text        COLLATE "C" NOT NULL,
    state      text        COLLATE "C" NOT NULL DEFAULT 'running'
               CHECK (state IN ('running', 'cancelling', 'succeeded', 'failed', 'cancelled')),
    started_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    ended_at   timestamptz                              -- null: it runs
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX workflow_open ON ${schema}.workflow (id) WHERE state IN ('running', 'cancelling', 'failed');
CREATE INDEX workflow_ended ON ${schema}.workflow (ended_at) WHERE ended_at IS NOT NULL;

-- A step is one job or many. Steps depend on each other, so that ten thousand jobs that wait for ten thousand others are one row.
CREATE TABLE ${schema}.workflow_step (
    workflow_id  bigint   NOT NULL,
    step_no      int      NOT NULL,
    name         text     COLLATE "C" NOT NULL,
    state        text     COLLATE "C" NOT NULL
                 CHECK (state IN ('waiting', 'releasing', 'released', 'skipping', 'skipped', 'reviving')),
    accepts      boolean  NOT NULL,                     -- jobs may be added until somebody closes it
    due_at       timestamptz,                           -- of its jobs, once they are released; both null: at once
    delay_millis bigint
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE UNIQUE INDEX workflow_step_by_name ON ${schema}.workflow_step (workflow_id, name);
CREATE INDEX workflow_step_moving ON ${schema}.workflow_step (workflow_id, step_no) WHERE state IN ('releasing', 'skipping', 'reviving');
CREATE INDEX workflow_step_accepting ON ${schema}.workflow_step (workflow_id) WHERE accepts;
-- Made after the others, as in V1: of two indexes that seem to cost the same the planner takes the younger one.
ALTER TABLE ${schema}.workflow_step ADD PRIMARY KEY (workflow_id, step_no);

CREATE TABLE ${schema}.workflow_edge (
    workflow_id  bigint   NOT NULL,
    parent_no    int      NOT NULL,
    child_no     int      NOT NULL,
    runs_after   text     COLLATE "C" NOT NULL CHECK (runs_after IN ('success', 'success-or-hold', 'end', 'failure')),
    PRIMARY KEY (workflow_id, child_no, parent_no)
);
CREATE INDEX workflow_edge_by_parent ON ${schema}.workflow_edge (workflow_id, parent_no);

-- The jobs of steps; a negative id is a workflow that was started by a job of the step, and counts as one.
CREATE TABLE ${schema}.workflow_job (
    job_id       bigint   NOT NULL PRIMARY KEY,
    workflow_id  bigint   NOT NULL,
    step_no      int      NOT NULL,
    state        smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 4)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);
CREATE INDEX workflow_job_by_step ON ${schema}.workflow_job (workflow_id, state, step_no, job_id);

COMMENT ON TABLE ${schema}.workflow IS 'Workflows and batches.';
COMMENT ON COLUMN ${schema}.workflow.id IS 'Id of the workflow; no job has the same.';
COMMENT ON COLUMN ${schema}.workflow.name IS 'Its name, for people.';
COMMENT ON COLUMN ${schema}.workflow.state IS 'running, cancelling, succeeded, failed or cancelled.';
COMMENT ON COLUMN ${schema}.workflow.started_at IS 'When it was started.';
COMMENT ON COLUMN ${schema}.workflow.ended_at IS 'When the last of its jobs had ended; null: it runs.';
COMMENT ON TABLE ${schema}.workflow_step IS 'Steps of workflows: one job or many.';
COMMENT ON COLUMN ${schema}.workflow_step.workflow_id IS 'Its workflow.';
COMMENT ON COLUMN ${schema}.workflow_step.step_no IS 'Number of the step, from 0.';
COMMENT ON COLUMN ${schema}.workflow_step.name IS 'Name of the step.';
COMMENT ON COLUMN ${schema}.workflow_step.state IS 'waiting: for its parents; releasing, released: its jobs may run; skipping, skipped: they were cancelled because of a parent; reviving: they come back.';
COMMENT ON COLUMN ${schema}.workflow_step.accepts IS 'Whether jobs may be added to it from outside.';
COMMENT ON COLUMN ${schema}.workflow_step.due_at IS 'When its jobs are due, once they are released; null: see delay_millis.';
COMMENT ON COLUMN ${schema}.workflow_step.delay_millis IS 'How long after their release its jobs are due, in milliseconds; null: at once.';
COMMENT ON TABLE ${schema}.workflow_edge IS 'Which step runs after which.';
COMMENT ON COLUMN ${schema}.workflow_edge.workflow_id IS 'Its workflow.';
COMMENT ON COLUMN ${schema}.workflow_edge.parent_no IS 'The step that comes first.';
COMMENT ON COLUMN ${schema}.workflow_edge.child_no IS 'The step that comes after it.';
COMMENT ON COLUMN ${schema}.workflow_edge.runs_after IS 'success: or it is skipped; success-or-hold: or it goes on waiting; end: whatever became of it; failure: only then.';
COMMENT ON TABLE ${schema}.workflow_job IS 'Jobs of steps. Follows from the rooms, a moment later.';
COMMENT ON COLUMN ${schema}.workflow_job.job_id IS 'Id of the job; negative: of a workflow that counts as one.';
COMMENT ON COLUMN ${schema}.workflow_job.workflow_id IS 'Its workflow.';
COMMENT ON COLUMN ${schema}.workflow_job.step_no IS 'Its step.';
COMMENT ON COLUMN ${schema}.workflow_job.state IS '0: it has not ended; 1: it has failed; 2: it was completed; 3: it was cancelled; 4: it was cancelled because its step was skipped.';
