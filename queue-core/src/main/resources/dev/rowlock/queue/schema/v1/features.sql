-- Features. Each brings tables of its own; no room knows of them.

-- Which job holds, or last held, a unique key. No room knows of it: enqueue decides whether the key is free, by looking
-- for the job in waiting, ready and running; a chore removes rows whose keys are.
CREATE TABLE ${schema}.unique_key (
    type       text   COLLATE "C" NOT NULL,
    key        text   COLLATE "C" NOT NULL,
    job_id     bigint NOT NULL,
    held_until timestamptz,                          -- not free before, even if the job has ended; null: as it ends
    PRIMARY KEY (type, key)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);

-- Jobs that wait for the end of another one with the same unique key: "once more after the present run". Such a job lies in waiting,
-- with the reason once-more and a due time that never comes; the row here says whose end it waits for and when it is due then.
CREATE TABLE ${schema}.once_more (
    job_id   bigint NOT NULL PRIMARY KEY,
    after_id bigint NOT NULL,
    type     text   COLLATE "C" NOT NULL,
    key      text   COLLATE "C" NOT NULL,
    due_at   timestamptz
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Types whose listeners want to be told of dead jobs, since when: of those that died before, nobody is told.
CREATE TABLE ${schema}.dead_listener (
    type    text        COLLATE "C" NOT NULL PRIMARY KEY,
    since   timestamptz NOT NULL,
    seen_at timestamptz NOT NULL                     -- a week later without such a listener, it begins anew
);

-- Lines that handlers write to the logs of their jobs. They stay as long as their job is in any room, and a while longer.
CREATE TABLE ${schema}.job_log (
    job_id  bigint      NOT NULL,
    token   bigint      NOT NULL,
    number  bigint      NOT NULL,
    attempt smallint    NOT NULL,
    at      timestamptz NOT NULL,
    text    text        COLLATE "C" NOT NULL,
    PRIMARY KEY (job_id, token, number)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);

-- Recurring jobs. One row each, no history: the jobs that a row brings are ordinary jobs in the rooms.
CREATE TABLE ${schema}.schedule (
    name                 text   COLLATE "C" NOT NULL,
    -- Grows with each change: who changes the row names the one that was read. One that is made again begins elsewhere.
    version              bigint NOT NULL DEFAULT nextval('${schema}.job_id'),
    cron                 text   COLLATE "C",
    zone                 text   COLLATE "C",
    every_millis         bigint,
    jitter_millis        bigint NOT NULL,
    missed               text   COLLATE "C" NOT NULL CHECK (missed IN ('skip', 'run_once', 'run_all')),
    missed_runs          int    NOT NULL,
    missed_window_millis bigint NOT NULL,
    overlap              text   COLLATE "C" NOT NULL CHECK (overlap IN ('allow', 'skip', 'queue_one', 'cancel_running')),
    rank                 smallint NOT NULL CHECK (rank BETWEEN -1000 AND 1000),
    max_retries          smallint,
    timeout_millis       bigint,
    queue                text   COLLATE "C" NOT NULL,
    type                 text   COLLATE "C" NOT NULL,
    payload              json   NOT NULL,
    headers              json,
    next_at              timestamptz NOT NULL,       -- the time of the next run
    fire_at              timestamptz,                -- when it is to be enqueued, jitter included; null: paused or retired
    queued_at            timestamptz,                -- the time of a run that waits for the end of the last job
    last_at              timestamptz,                -- the time of the last run that was enqueued
    last_job_id          bigint,
    skipped              bigint NOT NULL DEFAULT 0,
    skipped_in_a_row     bigint NOT NULL DEFAULT 0, -- since the last run that was enqueued
    paused_at            timestamptz,
    declared_by          bigint,                     -- node whose application declares it so; null: made at run time
    declared_process     bigint,                     -- that process's first node: of several versions the last started decides
    declared_at          timestamptz,                -- when a node last said that its application declares it
    retired_at           timestamptz,                -- since when no node declares it
    job_key              text   COLLATE "C",         -- the key of each of its jobs
    recent_job_ids       bigint[],                   -- of its last jobs, up to ten, the newest first
    CHECK ((cron IS NULL) <> (every_millis IS NULL)),
    CHECK (every_millis >= 1000),
    CHECK (jitter_millis BETWEEN 0 AND 43200000),
    CHECK (missed_runs BETWEEN 1 AND 1000 AND missed_window_millis BETWEEN 0 AND 2678400000),
    CHECK (missed = 'run_all' AND missed_window_millis > 0 AND overlap = 'allow'
           OR missed <> 'run_all' AND missed_runs = 1 AND missed_window_millis = 0),
    CHECK ((cron IS NULL) = (zone IS NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX schedule_due ON ${schema}.schedule (fire_at, name) WHERE fire_at IS NOT NULL;
CREATE INDEX schedule_queued ON ${schema}.schedule (name) WHERE queued_at IS NOT NULL;
ALTER TABLE ${schema}.schedule ADD PRIMARY KEY (name);

-- Checkpoints: what the handlers of long jobs have noted for their next attempt. At most one row for each job. No room knows of it:
-- jobs move, fail, snooze and end without a thought for it, and a chore removes rows whose jobs have ended for good.
CREATE TABLE ${schema}.checkpoint (
    job_id   bigint      NOT NULL,
    token    bigint      NOT NULL,
    saved_at timestamptz NOT NULL,
    data     json        NOT NULL
) WITH (
    -- Rows are written again and again, without a change of an indexed column.
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);
ALTER TABLE ${schema}.checkpoint ADD PRIMARY KEY (job_id);

-- As in the rooms: what is compressed is copied as it is.
DO $$
BEGIN
    ALTER TABLE ${schema}.schedule ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4;
    ALTER TABLE ${schema}.checkpoint ALTER data SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN
        NULL; -- The server was built without lz4.
END
$$;

-- How many jobs of a queue, and of a key in it, may run over all nodes: how many at once, how many in a time, and in which order.
-- A queue without a row has no limits. What runs is counted in running: no counter is kept, so none can be wrong.
CREATE TABLE ${schema}.queue_limit (
    queue               text        COLLATE "C" PRIMARY KEY,
    max_running         int         CHECK (max_running > 0),         -- null: no limit
    max_running_per_key int         CHECK (max_running_per_key > 0), -- null: no limit
    rate_jobs           int         CHECK (rate_jobs > 0),           -- null: no limit, as below
    rate_millis         bigint      CHECK (rate_millis > 0),
    rate_burst          int         CHECK (rate_burst > 0),
    key_rate_jobs       int         CHECK (key_rate_jobs > 0),
    key_rate_millis     bigint      CHECK (key_rate_millis > 0),
    key_rate_burst      int         CHECK (key_rate_burst > 0),
    in_order            text        COLLATE "C" CHECK (in_order IN ('hold', 'continue', 'cancel-rest')), -- null: in no strict order
    of_queue            boolean     GENERATED ALWAYS AS (max_running IS NOT NULL OR rate_jobs IS NOT NULL) STORED,
    of_keys             boolean     GENERATED ALWAYS AS (max_running_per_key IS NOT NULL OR key_rate_jobs IS NOT NULL OR in_order IS NOT NULL) STORED,
    declared            boolean     NOT NULL DEFAULT false,          -- by an application; otherwise set at run time, which wins
    changed_at          timestamptz NOT NULL DEFAULT statement_timestamp(),
    who                 text        COLLATE "C",                            -- null: nobody said
    burst_per_key       int,                                         -- while no other key wants the places; one that is no more than the limit says nothing
    declared_limit      jsonb,                                       -- what applications declare while something else is set at run time
    CHECK (num_nulls(rate_jobs, rate_millis, rate_burst) IN (0, 3)),
    CHECK (num_nulls(key_rate_jobs, key_rate_millis, key_rate_burst) IN (0, 3))
);

-- How far each rate is used up, as the generic cell rate algorithm says it: the theoretical arrival time of the next job. Rows are
-- never updated: while some transaction holds back vacuum, a row that is would gather versions for each claim to walk over, but here the
-- last one comes first. A chore removes the others, and those that say no more than none would.
CREATE TABLE ${schema}.rate_state (
    queue      text             COLLATE "C" NOT NULL,
    gate       text             COLLATE "C" NOT NULL, -- the key; empty: of the queue as a whole
    number     bigint           NOT NULL,             -- the highest counts; drawn under the lock of the gate
    next_at    double precision NOT NULL,             -- epoch in seconds
    held_until double precision,                      -- epoch in seconds; nothing begins before; null: no such time
    PRIMARY KEY (queue, gate, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);

-- Keys that get more than others of each claim. A key without a row has the weight 1.
CREATE TABLE ${schema}.key_weight (
    queue      text        COLLATE "C" NOT NULL,
    job_key    text        COLLATE "C" NOT NULL,
    weight     int         NOT NULL CHECK (weight BETWEEN 2 AND 1000),
    PRIMARY KEY (queue, job_key)
);

-- What a state is worth. One that the rate could not have reached says nothing: the clock was set back, or the rate was raised.
CREATE FUNCTION ${schema}.rate_valid(jobs int, millis bigint, burst int, next_at double precision, now double precision)
    RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN next_at <= now + burst * millis::double precision / 1000 / jobs + 0.001 THEN next_at END
$$;

-- How many jobs may begin now: the burst at most, and 0 or less where the rate is used up.
CREATE FUNCTION ${schema}.rate_permits(jobs int, millis bigint, burst int, next_at double precision, held_until double precision, now double precision)
    RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN held_until > now THEN 0
                ELSE least(burst, floor((now - coalesce(${schema}.rate_valid(jobs, millis, burst, next_at, now), 0)) * 1000 * jobs / millis) + burst)::int
           END
$$;

-- In how many seconds the next job may begin; 0 or less, or null: now.
CREATE FUNCTION ${schema}.rate_wait(jobs int, millis bigint, burst int, next_at double precision, held_until double precision, now double precision)
    RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(held_until - now,
                    ${schema}.rate_valid(jobs, millis, burst, next_at, now) - now - (burst - 1) * millis::double precision / 1000 / jobs)
$$;

-- Where the next job may begin, leaving the burst aside, after so many have begun now.
CREATE FUNCTION ${schema}.rate_next(jobs int, millis bigint, burst int, next_at double precision, now double precision, begun bigint)
    RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(now, ${schema}.rate_valid(jobs, millis, burst, next_at, now)) + begun * millis::double precision / 1000 / jobs
$$;

-- Policies of applications decide which of a queue's jobs become ready next. Until they are chosen, jobs lie in waiting, with the reason policy. They
-- are due there in an hour: whoever knows nothing of policies lets them go on then.
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
-- Made after the other, as in the rooms: of two indexes that seem to cost the same the planner takes the younger one.
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

-- Workflows: jobs that run after others. Jobs whose turn has not come lie in waiting, with the reason parents and a due time that
-- never comes. Outcomes know nothing of workflows: what is written here about ended jobs is written after them, and follows from the rooms.
CREATE TABLE ${schema}.workflow (
    id         bigint      NOT NULL PRIMARY KEY,        -- from the sequence of jobs, which moves on after a recovery
    name       text        COLLATE "C" NOT NULL,
    state      text        COLLATE "C" NOT NULL DEFAULT 'running'
               CHECK (state IN ('running', 'cancelling', 'completed', 'failed', 'cancelled')),
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
    delay_millis bigint,
    -- Neither this nor an index of it changes as a step goes from waiting to released, so that the row is updated in place.
    moving       boolean  NOT NULL GENERATED ALWAYS AS (state IN ('releasing', 'skipping', 'reviving')) STORED
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE UNIQUE INDEX workflow_step_by_name ON ${schema}.workflow_step (workflow_id, name);
CREATE INDEX workflow_step_accepting ON ${schema}.workflow_step (workflow_id) WHERE accepts;
-- Made after the others, as in the rooms: of two indexes that seem to cost the same the planner takes the younger one.
ALTER TABLE ${schema}.workflow_step ADD PRIMARY KEY (workflow_id, step_no);
-- And after that one, for the same reason: few steps are moving.
CREATE INDEX workflow_step_moving ON ${schema}.workflow_step (workflow_id, step_no) WHERE moving;

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
    state        smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 4), -- 0 open, 1 dead, 2 completed, 3 cancelled, 4 skipped
    -- An end is noted in place: no index tells jobs that have not ended from those that were completed.
    failure      smallint GENERATED ALWAYS AS (CASE WHEN state IN (1, 3, 4) THEN state END) STORED,
    next_steps   int[]                                  -- that run as soon as it has completed, because they wait for nothing else
) WITH (
    -- All jobs of a page may end in one transaction, so there must be room for each once more.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);
CREATE INDEX workflow_job_by_step ON ${schema}.workflow_job (workflow_id, step_no, job_id);
CREATE INDEX workflow_job_by_failure ON ${schema}.workflow_job (workflow_id, step_no, failure, job_id) WHERE failure IS NOT NULL;

-- What nodes leave alone until somebody resumes it. They read it with each heartbeat.
CREATE TABLE ${schema}.pause (
    kind      text COLLATE "C" NOT NULL CHECK (kind IN ('queue', 'type', 'everything')),
    name      text COLLATE "C" NOT NULL,             -- empty: everything has no name
    paused_at timestamptz NOT NULL,
    who       text COLLATE "C" NOT NULL,
    why       text COLLATE "C",
    PRIMARY KEY (kind, name)
);

-- One line for each action, written by the statement or in the transaction that acts. That of a bulk action counts with its batches.
CREATE TABLE ${schema}.audit (
    id             bigint      GENERATED ALWAYS AS IDENTITY,
    at             timestamptz NOT NULL,
    who            text        COLLATE "C" NOT NULL,
    why            text        COLLATE "C",
    action         text        COLLATE "C" NOT NULL,
    subject        text        COLLATE "C" NOT NULL,
    detail         text        COLLATE "C",
    jobs           bigint      NOT NULL,
    refused        bigint      NOT NULL DEFAULT 0,
    refusal        text        COLLATE "C",
    bulk_action_id bigint
);
CREATE INDEX audit_by_age ON ${schema}.audit (at);
CREATE INDEX audit_of_bulk_action ON ${schema}.audit (bulk_action_id) WHERE bulk_action_id IS NOT NULL;
ALTER TABLE ${schema}.audit ADD PRIMARY KEY (id);

-- What is done to many jobs, in batches. A batch and the place that it reached are one transaction: whoever dies, the next node goes on
-- behind the last batch that was committed.
CREATE TABLE ${schema}.bulk_action (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    kind        text        COLLATE "C" NOT NULL CHECK (kind IN ('redrive', 'discard', 'cancel')),
    state       text        COLLATE "C" NOT NULL CHECK (state IN ('running', 'finished', 'cancelled')),
    filter      json        NOT NULL,
    who         text        COLLATE "C" NOT NULL,
    why         text        COLLATE "C",
    created_at  timestamptz NOT NULL,
    counted     bigint      NOT NULL,
    counted_all boolean     NOT NULL,
    done        bigint      NOT NULL DEFAULT 0,
    refused     bigint      NOT NULL DEFAULT 0,
    refused_ids bigint[]    NOT NULL DEFAULT '{}',   -- those behind after_id
    refusal     text        COLLATE "C",
    after_id    bigint      NOT NULL DEFAULT 0,
    last_id     bigint      NOT NULL,
    per_second  int         CHECK (per_second > 0),
    batch_at    timestamptz NOT NULL,                -- of the last batch
    next_at     timestamptz NOT NULL,                -- of the next one, not before
    ended_at    timestamptz,
    locked_ids  bigint[]    NOT NULL DEFAULT '{}',   -- those up to after_id
    stretch     int         NOT NULL DEFAULT 10000 CHECK (stretch > 0), -- how many jobs a batch looks at, at most
    error       jsonb,                               -- that has the fingerprint of the filter
    CHECK ((state = 'running') = (ended_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX bulk_action_running ON ${schema}.bulk_action (id) WHERE state = 'running';
ALTER TABLE ${schema}.bulk_action ADD PRIMARY KEY (id);
