-- A dead job that somebody has skipped does not hold up its key in order. Nodes of the version before do not know that: they wait for it.

SET LOCAL lock_timeout = '50ms';

COMMENT ON COLUMN ${schema}.dead.last_job IS 'The last id that a job had when it died; 0: it was skipped, and does not hold up its key.';
