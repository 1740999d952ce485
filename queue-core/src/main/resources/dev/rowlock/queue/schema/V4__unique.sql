-- Jobs that wait for the end of another one with the same unique key: "once more after the present run". Such a job lies in waiting,
-- with the reason once-more and a due time that never comes; the row here says whose end it waits for and when it is due then.

CREATE TABLE ${schema}.once_more (
    job_id   bigint NOT NULL PRIMARY KEY,
    after_id bigint NOT NULL,
    type     text   COLLATE "C" NOT NULL,
    key      text   COLLATE "C" NOT NULL,
    due_at   timestamptz,
    since    timestamptz
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE ${schema}.once_more IS 'Jobs that run once more after the present run of their unique key. Not to be changed by hand.';
COMMENT ON COLUMN ${schema}.once_more.job_id IS 'The job that waits.';
COMMENT ON COLUMN ${schema}.once_more.after_id IS 'The job whose end it waits for.';
COMMENT ON COLUMN ${schema}.once_more.type IS 'Type of both.';
COMMENT ON COLUMN ${schema}.once_more.key IS 'Unique key of both.';
COMMENT ON COLUMN ${schema}.once_more.due_at IS 'When it is due, once that job has ended; null: at once.';
COMMENT ON COLUMN ${schema}.once_more.since IS 'When its delay began; null: it has none.';
