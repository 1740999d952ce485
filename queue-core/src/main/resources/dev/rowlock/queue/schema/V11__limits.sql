-- How many jobs of a queue, and of a key in it, may run at once over all nodes.

SET LOCAL lock_timeout = '50ms';

-- A queue without a row has no limits. What runs is counted in running: no counter is kept, so none can be wrong.
CREATE TABLE ${schema}.queue_limit (
    queue               text        COLLATE "C" PRIMARY KEY,
    max_running         int         CHECK (max_running > 0),         -- null: no limit
    max_running_per_key int         CHECK (max_running_per_key > 0), -- null: no limit
    declared            boolean     NOT NULL DEFAULT false,          -- by an application; otherwise set at run time, which wins
    changed_at          timestamptz NOT NULL DEFAULT statement_timestamp(),
    who                 text                                         -- null: nobody said
);

COMMENT ON TABLE ${schema}.queue_limit IS 'How many jobs of a queue may run at once, over all nodes.';
COMMENT ON COLUMN ${schema}.queue_limit.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.queue_limit.max_running IS 'So many of its jobs at once; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.max_running_per_key IS 'So many of its jobs of each key at once; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.declared IS 'Whether an application declares it; false: it was set at run time.';
COMMENT ON COLUMN ${schema}.queue_limit.changed_at IS 'When it was set.';
COMMENT ON COLUMN ${schema}.queue_limit.who IS 'Who set it; null: nobody said.';
