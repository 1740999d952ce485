-- Recurring jobs. One row each, no history: the jobs that a row brings are ordinary jobs in the rooms.

CREATE TABLE ${schema}.schedule (
    name                 text   COLLATE "C" NOT NULL,
    -- Grows with each change: who changes the row names the one that was read. One that is made again begins elsewhere.
    version              bigint NOT NULL DEFAULT nextval('${schema}.job_id'),
    cron                 text,
    zone                 text,
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
    paused_at            timestamptz,
    declared_by          bigint,                     -- node whose application declares it so; null: made at run time
    declared_process     bigint,                     -- that process's first node: of several versions the last started decides
    declared_at          timestamptz,                -- when a node last said that its application declares it
    retired_at           timestamptz,                -- since when no node declares it
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

-- As in the rooms: each run copies what is compressed as it is.
DO $$
BEGIN
    ALTER TABLE ${schema}.schedule ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN
        NULL; -- The server was built without lz4.
END
$$;

COMMENT ON TABLE ${schema}.schedule IS 'Recurring jobs. Change them by RecurringJobs, not by hand.';
COMMENT ON COLUMN ${schema}.schedule.name IS 'Name of the recurring job.';
COMMENT ON COLUMN ${schema}.schedule.version IS 'Grows with each change.';
COMMENT ON COLUMN ${schema}.schedule.cron IS 'Cron expression; null: it has a fixed rate.';
COMMENT ON COLUMN ${schema}.schedule.zone IS 'Time zone of the cron expression.';
COMMENT ON COLUMN ${schema}.schedule.every_millis IS 'Fixed rate in milliseconds; null: it has a cron expression.';
COMMENT ON COLUMN ${schema}.schedule.jitter_millis IS 'Each run is put off by up to so many milliseconds.';
COMMENT ON COLUMN ${schema}.schedule.missed IS 'What becomes of missed runs.';
COMMENT ON COLUMN ${schema}.schedule.missed_runs IS 'run_all: how many missed runs are made up for.';
COMMENT ON COLUMN ${schema}.schedule.missed_window_millis IS 'run_all: how old they may be, in milliseconds.';
COMMENT ON COLUMN ${schema}.schedule.overlap IS 'What becomes of a run while the last job has not ended.';
COMMENT ON COLUMN ${schema}.schedule.rank IS 'Minus the priority of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.max_retries IS 'Attempts of its jobs after the first; null: as their listener says.';
COMMENT ON COLUMN ${schema}.schedule.timeout_millis IS 'Time that an attempt may take, in milliseconds; null: as their listener says.';
COMMENT ON COLUMN ${schema}.schedule.queue IS 'Queue of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.type IS 'Type of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.payload IS 'Payload of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.headers IS 'Headers of its jobs, without those that name the run.';
COMMENT ON COLUMN ${schema}.schedule.next_at IS 'The time of its next run.';
COMMENT ON COLUMN ${schema}.schedule.fire_at IS 'When that run is enqueued; null: it is paused or retired.';
COMMENT ON COLUMN ${schema}.schedule.queued_at IS 'The time of a run that waits for the end of the last job.';
COMMENT ON COLUMN ${schema}.schedule.last_at IS 'The time of the last run for which a job was enqueued.';
COMMENT ON COLUMN ${schema}.schedule.last_job_id IS 'Id of its last job.';
COMMENT ON COLUMN ${schema}.schedule.skipped IS 'How many runs did not take place because the last job had not ended.';
COMMENT ON COLUMN ${schema}.schedule.paused_at IS 'When it was paused; null: it is not.';
COMMENT ON COLUMN ${schema}.schedule.declared_by IS 'Node whose application declares it so; null: it was made at run time.';
COMMENT ON COLUMN ${schema}.schedule.declared_process IS 'First node of that process; of several versions the one that was started last decides.';
COMMENT ON COLUMN ${schema}.schedule.declared_at IS 'When a node last said that its application declares it.';
COMMENT ON COLUMN ${schema}.schedule.retired_at IS 'Since when no node declares it; null: it runs.';
