-- What runs after one job only is known when the workflow is started, so that nothing is looked up when the job has ended.

SET LOCAL lock_timeout = '50ms';

-- Nodes of the version before leave it null.
ALTER TABLE ${schema}.workflow_job ADD COLUMN next_steps int[];

COMMENT ON COLUMN ${schema}.workflow_job.next_steps IS 'Steps that run as soon as it has completed, because they wait for nothing else; null: there are none, or there is more to be decided.';
