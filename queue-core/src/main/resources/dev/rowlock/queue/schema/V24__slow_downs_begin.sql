-- A slow-down begins anew after the server's clock was set back, as other waits do.

SET LOCAL lock_timeout = '50ms';

-- Nodes of the version before leave it null: theirs last longer by as much as the clock is set back.
ALTER TABLE ${schema}.rate_state ADD COLUMN held_since double precision;

COMMENT ON COLUMN ${schema}.rate_state.held_since IS 'When somebody asked that nothing begins until held_until; an epoch in seconds; null: nobody did, or a node of an earlier version.';
