-- How a bulk action gets on where jobs are locked, or where its filter is slow.
SET LOCAL lock_timeout = '50ms';

ALTER TABLE ${schema}.bulk_action
    ADD COLUMN locked_ids bigint[] NOT NULL DEFAULT '{}',   -- those up to after_id
    ADD COLUMN stretch int NOT NULL DEFAULT 10000;
ALTER TABLE ${schema}.bulk_action ADD CHECK (stretch > 0) NOT VALID;

COMMENT ON COLUMN ${schema}.bulk_action.refused IS 'How many jobs it has passed over, because the server refuses to move them, or takes too long for one alone.';
COMMENT ON COLUMN ${schema}.bulk_action.after_id IS 'Jobs up to this id are done with, but for those in locked_ids.';
COMMENT ON COLUMN ${schema}.bulk_action.locked_ids IS 'Jobs that somebody else had locked. The action comes back to them.';
COMMENT ON COLUMN ${schema}.bulk_action.stretch IS 'How many jobs a batch looks at, at most. Fewer while so many take too long.';
