-- A step that goes from waiting to released is updated in place, without new entries in indexes: no index knows its state any more, only whether its jobs
-- are being moved, which is the same before and after. PostgreSQL compares values, so a generated column does not stand in the way, and nodes of the
-- version before need not know it.

SET LOCAL lock_timeout = '50ms';

-- There must be room for the next version of a row in its page. Before the column, because that writes the table anew.
ALTER TABLE ${schema}.workflow_step SET (fillfactor = 70);
DROP INDEX ${schema}.workflow_step_moving;
ALTER TABLE ${schema}.workflow_step
    ADD COLUMN moving boolean NOT NULL GENERATED ALWAYS AS (state IN ('releasing', 'skipping', 'reviving')) STORED;
CREATE INDEX workflow_step_moving ON ${schema}.workflow_step (workflow_id, step_no) WHERE moving;

COMMENT ON COLUMN ${schema}.workflow_step.moving IS 'Whether its jobs are being moved: it is releasing, skipping or reviving.';
