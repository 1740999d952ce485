-- A bulk action for one kind of error says which error that was, also when no job has it any more.

SET LOCAL lock_timeout = '50ms';

ALTER TABLE ${schema}.bulk_action ADD COLUMN error jsonb;

COMMENT ON COLUMN ${schema}.bulk_action.error IS 'Where its filter names a fingerprint: an error that had it when the action began; null otherwise.';
