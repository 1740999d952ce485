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

DO $$
BEGIN
    ALTER TABLE ${schema}.checkpoint ALTER data SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN
        NULL; -- The server was built without lz4.
END
$$;

COMMENT ON TABLE ${schema}.checkpoint IS 'What handlers of long jobs have noted for their next attempt.';
COMMENT ON COLUMN ${schema}.checkpoint.job_id IS 'Id of the job.';
COMMENT ON COLUMN ${schema}.checkpoint.token IS 'Token of the claim that saved it.';
COMMENT ON COLUMN ${schema}.checkpoint.saved_at IS 'When it was saved.';
COMMENT ON COLUMN ${schema}.checkpoint.data IS 'What the handler noted.';
