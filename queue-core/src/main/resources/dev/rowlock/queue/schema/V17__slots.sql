-- How many jobs each node runs at once. For people: no claim reads it.

SET LOCAL lock_timeout = '50ms';

ALTER TABLE ${schema}.node ADD COLUMN slots int[];

COMMENT ON COLUMN ${schema}.node.slots IS 'How many jobs it runs at once, for each of its queues in their order; null: a release that does not say.';
