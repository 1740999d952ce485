-- Whoever removes a limit that was set at run time gets back the declared one in the same moment: the queue is never without one.

SET LOCAL lock_timeout = '50ms';

-- Nodes of the version before leave it as it is; those that declare the limit write it within a minute.
ALTER TABLE ${schema}.queue_limit ADD COLUMN declared_limit jsonb;

COMMENT ON COLUMN ${schema}.queue_limit.declared_limit IS 'What applications declare while something else is set at run time: its columns by name; null: nothing.';
