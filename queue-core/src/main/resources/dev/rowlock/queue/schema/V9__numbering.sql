-- After a recovery of the server no id and no token comes twice.
SET LOCAL lock_timeout = '50ms';

-- A sequence is written to the log 32 numbers ahead, with the commits that use it. A server that loses its last commits (an asynchronous
-- standby that takes over, a crash with synchronous_commit = off, a restore from a backup) therefore gives out numbers again that
-- nodes and callers have been told before. Two claims of a job would have the same token, and an outcome of the lost one would count.
-- So each sequence moves on by a billion or more before the first claim on a server that has recovered.

-- PostgreSQL empties unlogged tables whenever it recovers: at a crash, at a promotion, at a restore. That is what this one is for:
-- its row says that the sequences have moved on since. It must never become a logged table.
CREATE UNLOGGED TABLE ${schema}.numbering (
    moved_at timestamptz NOT NULL
);
INSERT INTO ${schema}.numbering VALUES (statement_timestamp());

-- Moves the sequences on unless somebody has done so. Returns whether it has. The steps are drawn, because the server may lose them too:
-- the next one must not land where it did. The lock lasts for this call only, not until a caller's transaction ends: who comes
-- before that moves them on once more, which does no harm.
CREATE FUNCTION ${schema}.skip_lost_numbers() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ours CONSTANT bigint := hashtextextended('rowlock numbering ${schema}', 0);
BEGIN
    PERFORM pg_advisory_lock(ours);
    BEGIN
        IF EXISTS (SELECT FROM ${schema}.numbering) THEN
            PERFORM pg_advisory_unlock(ours);
            RETURN false;
        END IF;
        PERFORM setval('${schema}.job_id', (SELECT last_value FROM ${schema}.job_id) + 1000000000 + floor(random() * 1000000000)::bigint);
        PERFORM setval('${schema}.claim_token', (SELECT last_value FROM ${schema}.claim_token) + 1000000000 + floor(random() * 1000000000)::bigint);
        PERFORM setval('${schema}.node_id', (SELECT last_value FROM ${schema}.node_id) + 1000000000 + floor(random() * 1000000000)::bigint);
        INSERT INTO ${schema}.numbering VALUES (statement_timestamp());
    EXCEPTION
        WHEN query_canceled OR OTHERS THEN
            PERFORM pg_advisory_unlock(ours);
            RAISE;
    END;
    PERFORM pg_advisory_unlock(ours);
    RETURN true;
END
$$;

-- Whether the numbers of this server are new, and which history of which server this is: each promotion begins a timeline with a higher
-- number. Zeros where nobody may know. A standby says what it says to whoever writes, and not that the table cannot be read there.
CREATE FUNCTION ${schema}.server_standing(OUT numbered boolean, OUT server bigint, OUT timeline int)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'this server is a standby: nothing can be enqueued, claimed or recorded here' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
    numbered := EXISTS (SELECT FROM ${schema}.numbering);
    BEGIN
        server := (pg_control_system()).system_identifier;
        timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
    EXCEPTION
        WHEN OTHERS THEN
            server := 0;
            timeline := 0;
    END;
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.skip_lost_numbers(), ${schema}.server_standing() FROM PUBLIC;

COMMENT ON TABLE ${schema}.numbering IS 'A row: since the server has last recovered, the sequences have moved on.';
COMMENT ON COLUMN ${schema}.numbering.moved_at IS 'When they did.';
COMMENT ON FUNCTION ${schema}.skip_lost_numbers() IS 'Moves the sequences on, once after each recovery of the server.';
COMMENT ON FUNCTION ${schema}.server_standing() IS 'Whether the sequences have moved on, the system identifier, and the number of the timeline; zeros where the server does not tell.';
