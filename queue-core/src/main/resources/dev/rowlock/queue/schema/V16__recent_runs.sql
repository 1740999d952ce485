-- What became of the last runs of a recurring job: the statement that enqueues a run notes the ids of its jobs.

SET LOCAL lock_timeout = '50ms';

ALTER TABLE ${schema}.schedule ADD COLUMN recent_job_ids bigint[];

COMMENT ON COLUMN ${schema}.schedule.recent_job_ids IS 'Ids of its last jobs, up to ten, the newest first.';
