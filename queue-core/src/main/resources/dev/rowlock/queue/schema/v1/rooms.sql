-- The rooms of Rowlock. ${schema} is the configured schema name.
-- A job is one row and lies in exactly one of: waiting, ready, running, done, dead.
-- A move is one statement, DELETE ... RETURNING feeding an INSERT. Large payloads do not move: they lie in payload.

CREATE SEQUENCE ${schema}.job_id AS bigint;
-- Claim tokens fence outcomes and must only ever grow: never give this sequence a CACHE above 1.
CREATE SEQUENCE ${schema}.claim_token AS bigint CACHE 1;
CREATE SEQUENCE ${schema}.node_id AS bigint;

-- Runnable now. Claims read it through one index and nothing else, so that no statistics, however stale, can offer
-- the planner a wrong choice. No state column, no foreign keys.
CREATE TABLE ${schema}.ready (
    id             bigint      NOT NULL,
    ready_at       timestamptz NOT NULL,
    enqueued_at    timestamptz NOT NULL,
    timeout_millis bigint,
    rank           smallint    NOT NULL CHECK (rank BETWEEN -1000 AND 1000), -- -priority: the lowest rank runs first
    attempt        smallint    NOT NULL DEFAULT 0,  -- attempts already made
    crashes        smallint    NOT NULL DEFAULT 0,  -- how often its node died while it ran
    max_retries    smallint,                        -- null: as its listener says
    queue          text        COLLATE "C" NOT NULL,
    job_key        text        COLLATE "C",                     -- which tenant, account, document it is about; null: none
    type           text        COLLATE "C" NOT NULL,
    payload        json,                            -- null: it lies in payload
    headers        json,
    errors         jsonb                            -- what went wrong so far, oldest first
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
    -- Truncation would lock out everybody for a moment, to give back space that is needed again at once.
    vacuum_truncate = false
);
CREATE INDEX ready_in_order ON ${schema}.ready (queue, rank, ready_at, id) WHERE job_key IS NULL;
CREATE INDEX ready_by_key ON ${schema}.ready (queue, job_key, rank, id) WHERE job_key IS NOT NULL;
-- Jobs that have begun and were tried again stand before all others of their key, where keys are in order.
CREATE INDEX ready_begun ON ${schema}.ready (queue, job_key, id) WHERE job_key IS NOT NULL AND (attempt > 0 OR crashes > 0);
-- Made after the index above, here as below. Of two indexes that seem to cost the same the planner takes the younger one, and in
-- a table that was vacuumed while it was empty a look for an id would seem to cost the same by an index that ends with it.
ALTER TABLE ${schema}.ready ADD PRIMARY KEY (id);

-- Not runnable yet: due later.
CREATE TABLE ${schema}.waiting (
    id             bigint      NOT NULL,
    due_at         timestamptz NOT NULL,
    enqueued_at    timestamptz NOT NULL,
    timeout_millis bigint,
    rank           smallint    NOT NULL CHECK (rank BETWEEN -1000 AND 1000),
    attempt        smallint    NOT NULL DEFAULT 0,
    crashes        smallint    NOT NULL DEFAULT 0,
    max_retries    smallint,
    reason         text        COLLATE "C" NOT NULL CHECK (reason <> ''), -- features bring reasons of their own
    queue          text        COLLATE "C" NOT NULL,
    job_key        text        COLLATE "C",
    type           text        COLLATE "C" NOT NULL,
    payload        json,                             -- null: it lies in payload
    headers        json,
    errors         jsonb
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);
CREATE INDEX waiting_by_due ON ${schema}.waiting (due_at, id);
-- They hold up the others of their key, where keys are in order.
CREATE INDEX waiting_begun ON ${schema}.waiting (queue, job_key, id)
    WHERE job_key IS NOT NULL AND reason IN ('retry', 'snooze', 'unknown-type', 'not-started', 'crash', 'redrive');
ALTER TABLE ${schema}.waiting ADD PRIMARY KEY (id);

-- Claimed by a node, under a token. The two partial indexes cost jobs that have no deadline and no cancel request
-- nothing, and spare every heartbeat and sweep a look at the whole table.
CREATE TABLE ${schema}.running (
    id               bigint      NOT NULL PRIMARY KEY,
    token            bigint      NOT NULL,
    node_id          bigint      NOT NULL,
    ready_at         timestamptz NOT NULL,
    enqueued_at      timestamptz NOT NULL,
    claimed_at       timestamptz NOT NULL,
    deadline         timestamptz,
    timeout_millis   bigint,
    rank             smallint    NOT NULL,
    attempt          smallint    NOT NULL,            -- this attempt, 1 for the first
    crashes          smallint    NOT NULL,
    max_retries      smallint,
    progress         smallint    CHECK (progress BETWEEN 0 AND 100), -- percent
    cancel_requested boolean     NOT NULL DEFAULT false,
    isolated         boolean     NOT NULL DEFAULT false, -- started as the only suspect of its node
    queue            text        COLLATE "C" NOT NULL,
    job_key          text        COLLATE "C",
    gate             text        COLLATE "C",         -- counts against the limits of its queue and this key; null: nobody counts it
    type             text        COLLATE "C" NOT NULL,
    payload          json,                            -- null: it lies in payload
    headers          json,
    errors           jsonb,
    progress_note    text        COLLATE "C"
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
    vacuum_truncate = false
);
CREATE INDEX running_cancelled ON ${schema}.running (node_id) WHERE cancel_requested;
CREATE INDEX running_by_gate ON ${schema}.running (queue, gate, token) WHERE gate IS NOT NULL;
CREATE INDEX running_by_deadline ON ${schema}.running (deadline) WHERE deadline IS NOT NULL;

-- Completed and cancelled. One partition a day (UTC), named done_YYYYMMDD; retention drops whole partitions.
CREATE TABLE ${schema}.done (
    id             bigint      NOT NULL,
    finished_at    timestamptz NOT NULL,
    enqueued_at    timestamptz NOT NULL,
    claimed_at     timestamptz,                      -- null: cancelled before it ran
    token          bigint,
    node_id        bigint,
    timeout_millis bigint,
    rank           smallint    NOT NULL,
    attempt        smallint    NOT NULL,
    crashes        smallint    NOT NULL,
    max_retries    smallint,
    state          text        COLLATE "C" NOT NULL CHECK (state IN ('completed', 'cancelled')),
    queue          text        COLLATE "C" NOT NULL,
    job_key        text        COLLATE "C",
    type           text        COLLATE "C" NOT NULL,
    payload        json,                             -- null: it lies in payload
    headers        json,
    errors         jsonb,
    result         json,
    PRIMARY KEY (id, finished_at)
) PARTITION BY RANGE (finished_at);

-- The last id that was given to a job.
CREATE FUNCTION ${schema}.last_job_id() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT last_value FROM ${schema}.job_id
$$;

-- Dead after their last attempt, or quarantined after bringing down its node too often. Kept until redriven or discarded.
CREATE TABLE ${schema}.dead (
    id             bigint      NOT NULL,
    died_at        timestamptz NOT NULL,
    enqueued_at    timestamptz NOT NULL,
    claimed_at     timestamptz,                      -- of its last attempt
    token          bigint,
    node_id        bigint,
    timeout_millis bigint,
    rank           smallint    NOT NULL CHECK (rank BETWEEN -1000 AND 1000),
    attempt        smallint    NOT NULL CHECK (attempt >= 0),
    crashes        smallint    NOT NULL CHECK (crashes >= 0),
    max_retries    smallint,
    state          text        COLLATE "C" NOT NULL CHECK (state IN ('dead', 'quarantined')),
    queue          text        COLLATE "C" NOT NULL,
    job_key        text        COLLATE "C",
    type           text        COLLATE "C" NOT NULL,
    payload        json,                             -- null: it lies in payload
    headers        json,
    errors         jsonb,
    last_job       bigint      NOT NULL DEFAULT ${schema}.last_job_id(), -- the last job before it died
    told           boolean     NOT NULL DEFAULT false, -- whether a job was enqueued that tells its listener of this death
    -- Written as a job dies, and never again.
    fingerprint    text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (${schema}.error_fingerprint(errors -> -1)) STORED
);
CREATE INDEX dead_by_queue ON ${schema}.dead (queue, id);
CREATE INDEX dead_by_age ON ${schema}.dead (died_at);
-- Those of types whose listeners want no word stay in it. An expression, so that the planner never takes dead_by_age in its place.
CREATE INDEX dead_untold ON ${schema}.dead (type, (died_at AT TIME ZONE 'UTC')) WHERE NOT told;
CREATE INDEX dead_by_key ON ${schema}.dead (queue, job_key, last_job) WHERE job_key IS NOT NULL;
-- Groups of dead jobs are counted in it alone.
CREATE INDEX dead_by_error ON ${schema}.dead (fingerprint, id) INCLUDE (died_at, queue, type);
ALTER TABLE ${schema}.dead ADD PRIMARY KEY (id);

-- Takes a job that has not begun to done, as cancelled. Tells nodes where others may have waited for it: those of its key, or of its workflow.
-- It stands here because it knows the columns of the rooms.
CREATE FUNCTION ${schema}.cancel_idle(job bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cancelled record;
BEGIN
    WITH from_waiting AS (
        DELETE FROM ${schema}.waiting WHERE id = job
        RETURNING id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type, payload, headers, errors
    ), from_ready AS (
        DELETE FROM ${schema}.ready WHERE id = job
        RETURNING id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type, payload, headers, errors
    )
    INSERT INTO ${schema}.done AS d (id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type, payload, headers,
                                     errors, finished_at, state)
    SELECT *, clock_timestamp(), 'cancelled' FROM (TABLE from_waiting UNION ALL TABLE from_ready) AS found
    RETURNING d.queue, d.job_key, d.headers INTO cancelled;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF cancelled.job_key IS NOT NULL THEN
        PERFORM ${schema}.send_key_wakeup(cancelled.queue, cancelled.job_key);
    END IF;
    IF cancelled.headers::text COLLATE "C" ~ '[{,][[:space:]]*"rowlock-workflow"[[:space:]]*:' THEN
        PERFORM ${schema}.send_wakeup('a|');
    END IF;
    RETURN true;
END
$$;

-- Payloads that are too large to be written anew with each move: written once, by the statement that enqueues their
-- job, whose row says null instead. Jobs move and end without a thought for them; a chore removes those whose job is in
-- no room any more.
CREATE TABLE ${schema}.payload (
    job_id  bigint NOT NULL PRIMARY KEY,
    bytes   integer NOT NULL,                        -- not compressed: to ask the value for that, it must be read
    payload json   NOT NULL
) WITH (
    -- The pieces of large values lie in a table of their own, for which this counts too.
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);

-- What is too large for its row is compressed with lz4, which takes half the processor time of pglz and a fifth more
-- space. A move copies what is compressed as it is, but tries anew what would not compress: so in all rooms.
DO $$
BEGIN
    ALTER TABLE ${schema}.ready
        ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4, ALTER errors SET COMPRESSION lz4;
    ALTER TABLE ${schema}.waiting
        ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4, ALTER errors SET COMPRESSION lz4;
    ALTER TABLE ${schema}.running
        ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4, ALTER errors SET COMPRESSION lz4;
    ALTER TABLE ${schema}.done
        ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4, ALTER errors SET COMPRESSION lz4,
        ALTER result SET COMPRESSION lz4;
    ALTER TABLE ${schema}.dead
        ALTER payload SET COMPRESSION lz4, ALTER headers SET COMPRESSION lz4, ALTER errors SET COMPRESSION lz4;
    ALTER TABLE ${schema}.payload ALTER payload SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN
        -- The server was built without lz4: pglz in the rooms. Large payloads are not compressed at all, for pglz would take
        -- 40 ms for a megabyte, ten times what all else takes.
        ALTER TABLE ${schema}.payload ALTER payload SET STORAGE EXTERNAL;
END
$$;

-- After a recovery of the server no id and no token comes twice.
-- A sequence is written to the log 32 numbers ahead, with the commits that use it. A server that loses its last commits (an asynchronous
-- standby that takes over, a crash with synchronous_commit = off, a restore from a backup) therefore gives out numbers again that
-- nodes and callers have been told before. Two claims of a job would have the same token, and an outcome of the lost one would count.
-- So each sequence moves on by a billion or more before the first claim on a server that has recovered.
-- The same where a server has got the rows by logical replication, which leaves out sequences: figure has what they were, each half minute.

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
    job bigint;
    token bigint;
    node bigint;
BEGIN
    BEGIN
        PERFORM pg_advisory_lock(ours); -- here: a timeout right behind it must not leave it to the session
        job := greatest((SELECT max(id) FROM ${schema}.waiting), (SELECT max(id) FROM ${schema}.ready), (SELECT max(id) FROM ${schema}.running),
                        (SELECT max(id) FROM ${schema}.dead), (SELECT value::bigint FROM ${schema}.figure WHERE name = 'sequence' AND detail = 'job_id'), 0);
        token := greatest((SELECT max(r.token) FROM ${schema}.running r),
                          (SELECT value::bigint FROM ${schema}.figure WHERE name = 'sequence' AND detail = 'claim_token'), 0);
        node := greatest((SELECT max(id) FROM ${schema}.node),
                         (SELECT value::bigint FROM ${schema}.figure WHERE name = 'sequence' AND detail = 'node_id'), 0);
        IF EXISTS (SELECT FROM ${schema}.numbering) AND job <= (SELECT last_value FROM ${schema}.job_id)
           AND token <= (SELECT last_value FROM ${schema}.claim_token) AND node <= (SELECT last_value FROM ${schema}.node_id) THEN
            PERFORM pg_advisory_unlock(ours);
            RETURN false;
        END IF;
        PERFORM setval('${schema}.job_id', greatest(job, (SELECT last_value FROM ${schema}.job_id)) + 1000000000 + floor(random() * 1000000000)::bigint);
        PERFORM setval('${schema}.claim_token', greatest(token, (SELECT last_value FROM ${schema}.claim_token)) + 1000000000 + floor(random() * 1000000000)::bigint);
        PERFORM setval('${schema}.node_id', greatest(node, (SELECT last_value FROM ${schema}.node_id)) + 1000000000 + floor(random() * 1000000000)::bigint);
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

-- Whether numbers that sequences give out now have not been given out before.
CREATE FUNCTION ${schema}.numbers_are_new() RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM ${schema}.numbering)
           AND NOT EXISTS (SELECT FROM ${schema}.figure f
                            WHERE f.name = 'sequence'
                              AND f.value > coalesce(pg_sequence_last_value(to_regclass(format('${schema}.%I', f.detail))), 0));
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
    numbered := ${schema}.numbers_are_new();
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

REVOKE EXECUTE ON FUNCTION ${schema}.skip_lost_numbers(), ${schema}.numbers_are_new(), ${schema}.server_standing() FROM PUBLIC;
