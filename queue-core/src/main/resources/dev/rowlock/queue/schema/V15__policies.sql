-- Policies of applications decide which of a queue's jobs become ready next. Until they are chosen, jobs lie in waiting, with the reason policy. They
-- are due there in an hour: whoever knows nothing of policies lets them go on then.

SET LOCAL lock_timeout = '50ms';

CREATE TABLE ${schema}.policy (
    queue         text        COLLATE "C" NOT NULL PRIMARY KEY,
    node_id       bigint,                               -- the node that asks it; null: none
    decides_until timestamptz NOT NULL,                 -- answers move it on; when it has passed, jobs go on without the policy
    asked_at      timestamptz NOT NULL
);

-- Where the jobs are found that a policy may choose. Follows from waiting: a row without its job says nothing.
CREATE TABLE ${schema}.held_job (
    job_id   bigint      NOT NULL,
    due_at   timestamptz NOT NULL,                      -- of its row in waiting: another one was put there by somebody else
    ready_at timestamptz NOT NULL,
    rank     smallint    NOT NULL,
    queue    text        COLLATE "C" NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);
CREATE INDEX held_job_in_order ON ${schema}.held_job (queue, rank, ready_at, job_id);
-- Made after the other, as in V1: of two indexes that seem to cost the same the planner takes the younger one.
ALTER TABLE ${schema}.held_job ADD PRIMARY KEY (job_id);

-- Jobs that were chosen and that no node has claimed yet.
CREATE TABLE ${schema}.admitted_job (
    queue       text        COLLATE "C" NOT NULL,
    job_id      bigint      NOT NULL,
    admitted_at timestamptz NOT NULL,
    PRIMARY KEY (queue, job_id)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

COMMENT ON TABLE ${schema}.policy IS 'Queues whose jobs an application''s policy chooses.';
COMMENT ON COLUMN ${schema}.policy.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.policy.node_id IS 'The node that asks the policy; null: none yet.';
COMMENT ON COLUMN ${schema}.policy.decides_until IS 'Until then only jobs run that the policy has chosen, unless it answers again.';
COMMENT ON COLUMN ${schema}.policy.asked_at IS 'When a node last tried to ask it.';
COMMENT ON TABLE ${schema}.held_job IS 'Jobs in waiting that a policy has not chosen yet.';
COMMENT ON COLUMN ${schema}.held_job.job_id IS 'Id of the job.';
COMMENT ON COLUMN ${schema}.held_job.due_at IS 'When it goes on by itself; its row in waiting says the same, or this row says nothing.';
COMMENT ON COLUMN ${schema}.held_job.ready_at IS 'Since when it could run.';
COMMENT ON COLUMN ${schema}.held_job.rank IS 'Minus its priority.';
COMMENT ON COLUMN ${schema}.held_job.queue IS 'Its queue.';
COMMENT ON TABLE ${schema}.admitted_job IS 'Jobs in ready that a policy has chosen.';
COMMENT ON COLUMN ${schema}.admitted_job.queue IS 'Queue of the job.';
COMMENT ON COLUMN ${schema}.admitted_job.job_id IS 'Id of the job.';
COMMENT ON COLUMN ${schema}.admitted_job.admitted_at IS 'When it was chosen.';
