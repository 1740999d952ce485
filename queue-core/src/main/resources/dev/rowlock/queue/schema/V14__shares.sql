-- Idle places may be borrowed: more jobs of a key than its own limit allows, while nobody else wants them. Keys may share run time instead of jobs.

SET LOCAL lock_timeout = '50ms';

-- A node of the version before changes max_running_per_key and leaves this as it is: no check compares the two, and a burst that is no more than the
-- limit says nothing.
ALTER TABLE ${schema}.queue_limit ADD COLUMN burst_per_key int, ADD COLUMN share_by text COLLATE "C";

COMMENT ON COLUMN ${schema}.queue_limit.burst_per_key IS 'So many of its jobs of each key at once while no other key that is below its limit wants the places; null: no more than the limit.';
COMMENT ON COLUMN ${schema}.queue_limit.share_by IS 'What keys share when they take turns: run-time; null: jobs.';
