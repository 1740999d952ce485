-- The end of a job of a workflow is noted in place, without new entries in indexes: no index tells jobs that have not ended from those that were completed.
-- What has neither happened to is by itself in a second index, which holds nothing as long as all goes well. Nodes of the version before find all they look
-- for, some of it more slowly.

SET LOCAL lock_timeout = '50ms';

-- All jobs of a page may end in one transaction, so there must be room for each once more. Before the column, because that writes the table anew.
ALTER TABLE ${schema}.workflow_job SET (fillfactor = 50);
DROP INDEX ${schema}.workflow_job_by_step;
ALTER TABLE ${schema}.workflow_job
    ADD COLUMN failure smallint GENERATED ALWAYS AS (CASE WHEN state IN (1, 3, 4) THEN state END) STORED;
CREATE INDEX workflow_job_by_step ON ${schema}.workflow_job (workflow_id, step_no, job_id);
CREATE INDEX workflow_job_by_failure ON ${schema}.workflow_job (workflow_id, step_no, failure, job_id) WHERE failure IS NOT NULL;

COMMENT ON COLUMN ${schema}.workflow_job.failure IS 'Its state, if it has failed or was cancelled; null: it has not ended, or was completed.';
