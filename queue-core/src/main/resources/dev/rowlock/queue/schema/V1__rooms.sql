-- The rooms of Rowlock. ${schema} is the configured schema name.
-- A job is one row and lies in exactly one of: waiting, ready, running, done, dead.
-- A move is one statement, DELETE … RETURNING feeding an INSERT. Large payloads do not move: they lie in payload.

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
    since          timestamptz,                      -- when its wait began; null: it is due at a time that somebody named
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
    progress_note    text
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

-- Failed for good, or quarantined after bringing down its node too often. Kept until redriven or discarded.
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
    state          text        COLLATE "C" NOT NULL CHECK (state IN ('failed', 'quarantined')),
    queue          text        COLLATE "C" NOT NULL,
    job_key        text        COLLATE "C",
    type           text        COLLATE "C" NOT NULL,
    payload        json,                             -- null: it lies in payload
    headers        json,
    errors         jsonb,
    last_job       bigint      NOT NULL DEFAULT ${schema}.last_job_id() -- the last job before it died
);
CREATE INDEX dead_by_queue ON ${schema}.dead (queue, id);
CREATE INDEX dead_by_age ON ${schema}.dead (died_at);
CREATE INDEX dead_by_key ON ${schema}.dead (queue, job_key, last_job) WHERE job_key IS NOT NULL;
ALTER TABLE ${schema}.dead ADD PRIMARY KEY (id);

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

-- Which job holds, or last held, a unique key. No room knows of it: enqueue decides whether the key is free, by looking
-- for the job in waiting, ready and running; a chore removes rows whose keys are.
CREATE TABLE ${schema}.unique_key (
    type       text   COLLATE "C" NOT NULL,
    key        text   COLLATE "C" NOT NULL,
    job_id     bigint NOT NULL,
    held_until timestamptz,                          -- not free before, even if the job has ended; null: as it ends
    PRIMARY KEY (type, key)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);

-- The processes that run jobs. A row is a lease: whoever has seen its beats stand still for the whole lease may remove it and
-- take the node's jobs. Whether they stand still each node watches by its own monotonic clock: the server's may be set.
CREATE TABLE ${schema}.node (
    id           bigint      NOT NULL PRIMARY KEY,
    name         text        NOT NULL,
    queues       text[]      NOT NULL,  -- whose jobs it runs
    started_at   timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    beats        bigint      NOT NULL,  -- how many there have been
    lease_millis bigint      NOT NULL,
    retries      jsonb                  -- how often its listeners try again and after which waits, by type: for whoever
                                        -- takes a job from a handler that ignores its deadline
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Nodes that are gone: who ran an ended job is asked when its node has long left. A row comes with the statement that
-- removes the node. A chore removes rows that no ended job can name any more.
CREATE TABLE ${schema}.past_node (
    id         bigint      NOT NULL PRIMARY KEY,
    name       text        NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at   timestamptz NOT NULL,
    expired    boolean     NOT NULL -- its lease ran out; false: it stopped in good order
);

-- All rooms as one, with everything that is known of each job.
CREATE VIEW ${schema}.job_details AS
    SELECT id, state, queue, job_key, type, priority, attempt, crashes, max_retries, timeout_millis, enqueued_at, due_at, claimed_at,
           deadline, ended_at, node_id, token, reason, progress, progress_note, cancel_requested,
           -- Not a join, so that who does not ask for payloads does not pay for them.
           coalesce(payload, (SELECT p.payload FROM ${schema}.payload p WHERE p.job_id = room.id)) AS payload,
           headers, errors, result
      FROM (
        SELECT id, 'waiting' AS state, queue, job_key, type, -rank AS priority, attempt, crashes, max_retries, timeout_millis,
               enqueued_at, due_at, NULL::timestamptz AS claimed_at, NULL::timestamptz AS deadline,
               NULL::timestamptz AS ended_at, NULL::bigint AS node_id, NULL::bigint AS token, reason,
               NULL::smallint AS progress, NULL::text AS progress_note, false AS cancel_requested,
               payload, headers, errors, NULL::json AS result
          FROM ${schema}.waiting
        UNION ALL
        SELECT id, 'ready', queue, job_key, type, -rank, attempt, crashes, max_retries, timeout_millis,
               enqueued_at, ready_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, payload, headers, errors, NULL
          FROM ${schema}.ready
        UNION ALL
        SELECT id, 'running', queue, job_key, type, -rank, attempt, crashes, max_retries, timeout_millis,
               enqueued_at, ready_at, claimed_at, deadline, NULL, node_id, token, NULL, progress, progress_note,
               cancel_requested, payload, headers, errors, NULL
          FROM ${schema}.running
        UNION ALL
        SELECT id, state, queue, job_key, type, -rank, attempt, crashes, max_retries, timeout_millis,
               enqueued_at, NULL, claimed_at, NULL, finished_at, node_id, token, NULL, NULL, NULL,
               state = 'cancelled', payload, headers, errors, result
          FROM ${schema}.done
        UNION ALL
        SELECT id, state, queue, job_key, type, -rank, attempt, crashes, max_retries, timeout_millis,
               enqueued_at, NULL, claimed_at, NULL, died_at, node_id, token, NULL, NULL, NULL, false, payload, headers, errors, NULL
          FROM ${schema}.dead
      ) AS room;

-- The same to read: a line fits a terminal.
CREATE VIEW ${schema}.job AS
    SELECT id, state, queue, type, priority, attempt, crashes,
           coalesce(ended_at, claimed_at, due_at)::timestamptz(0) AS at,
           CASE WHEN state = 'running' THEN concat_ws(' ', progress || ' %', left(progress_note, 60))
                WHEN state IN ('waiting', 'failed', 'quarantined')
                THEN concat_ws(': ', reason, substring(errors -> -1 ->> 'type' FROM '[^.]*$'),
                               left(split_part(errors -> -1 ->> 'message', E'\n', 1), 60)) END AS why,
           coalesce((SELECT name FROM ${schema}.node WHERE id = node_id),
                    (SELECT name FROM ${schema}.past_node WHERE id = node_id)) AS node
      FROM ${schema}.job_details;

-- Live and dead jobs that have failed, each with its last error.
CREATE VIEW ${schema}.failure AS
    SELECT id, state, queue, type, attempt, crashes, (error ->> 'at')::timestamptz AS failed_at,
           (error ->> 'attempt')::smallint AS failed_attempt, error ->> 'type' AS class, error ->> 'message' AS message,
           coalesce((SELECT name FROM ${schema}.node WHERE id = (error ->> 'node')::bigint),
                    (SELECT name FROM ${schema}.past_node WHERE id = (error ->> 'node')::bigint)) AS node,
           error ->> 'trace' AS trace
      FROM (SELECT id, state, queue, type, attempt, crashes, errors -> -1 AS error
              FROM ${schema}.job_details
             WHERE state NOT IN ('completed', 'cancelled') AND errors IS NOT NULL) AS failed;

-- How far the nodes that empty a queue together have got: a claim of many jobs begins where any node's last one ended, not
-- at its own, behind which lies all that the others have taken since. A hint that is old after a second, hence unlogged; a
-- chore removes old rows. Rows are never updated: while some transaction holds back vacuum, a row that is would gather
-- versions for each claim to walk over, but here the last one comes first.
CREATE UNLOGGED TABLE ${schema}.reached (
    queue      text        COLLATE "C" NOT NULL,
    reached_at timestamptz NOT NULL,
    ready_at   timestamptz NOT NULL,
    id         bigint      NOT NULL,
    rank       smallint    NOT NULL
);
CREATE INDEX reached_last ON ${schema}.reached (queue, rank, reached_at);

-- Queues that somebody paused.
CREATE TABLE ${schema}.queue (
    name      text COLLATE "C" NOT NULL PRIMARY KEY,
    paused_at timestamptz
);

-- Chores that one node at a time does for all: whoever moves due_at forward does it. One that was taken in the future is due
-- as well: the server's clock was set back.
CREATE TABLE ${schema}.chore (
    name     text COLLATE "C" NOT NULL PRIMARY KEY,
    taken_at timestamptz NOT NULL,
    due_at   timestamptz NOT NULL
);

-- The last measurement of the live rooms and dead, made by one node and exported by all.
CREATE TABLE ${schema}.depth (
    queue       text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    jobs        bigint      NOT NULL,
    oldest_at   timestamptz,
    measured_at timestamptz NOT NULL,
    PRIMARY KEY (queue, state)
);

-- How long the nodes of the last days want ended jobs and the audit to be kept, in milliseconds: the longest wins. The largest number: for ever.
CREATE TABLE ${schema}.retention (
    done_millis bigint      NOT NULL,
    dead_millis bigint      NOT NULL,
    audit_millis bigint NOT NULL,
    stated_at   timestamptz NOT NULL,
    PRIMARY KEY (done_millis, dead_millis, audit_millis)
);

-- What retention dropped, so that the books still balance:
-- enqueued = waiting + ready + running + done + dead + dropped.
CREATE TABLE ${schema}.dropped (
    dropped_at timestamptz NOT NULL,
    room       text   COLLATE "C" NOT NULL,
    jobs       bigint NOT NULL
);

-- A job's error history with one more entry; the oldest go first once there are 20.
CREATE FUNCTION ${schema}.with_error(errors jsonb, attempt smallint, node_id bigint, error jsonb) RETURNS jsonb
    LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN jsonb_array_length(coalesce(errors, '[]')) >= 20 THEN errors - 0 ELSE coalesce(errors, '[]') END
           || jsonb_build_array(error || jsonb_build_object('attempt', attempt, 'node', node_id, 'at', statement_timestamp()))
$$;

-- Whether outcomes can be written to it: one that somebody is detaching takes none.
CREATE FUNCTION ${schema}.is_done_partition(partition text) RETURNS boolean
    LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT FROM pg_inherits
                    WHERE inhparent = '${schema}.done'::regclass AND NOT inhdetachpending
                      AND inhrelid = to_regclass(format('${schema}.%I', partition)))
$$;

-- Makes sure that done has a partition for today and the given number of days to come. Each is made aside and then
-- attached, which holds up nobody; several nodes may do it at once. A table that has the name already, detached by somebody,
-- or restored, is attached; where that cannot be, a warning says why, and the other days have theirs.
-- Nodes may do this without owning the table: it runs with its owner's rights, and finds only names that are written out.
CREATE FUNCTION ${schema}.ensure_done_partitions(days_ahead int) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
DECLARE
    first_day CONSTANT date := (statement_timestamp() AT TIME ZONE 'UTC')::date;
    this_day date;
    partition text;
    there boolean;
BEGIN
    FOR this_day IN SELECT first_day + n FROM generate_series(0, days_ahead) AS n LOOP
        partition := 'done_' || to_char(this_day, 'YYYYMMDD');
        CONTINUE WHEN ${schema}.is_done_partition(partition);
        there := to_regclass(format('${schema}.%I', partition)) IS NOT NULL;
        BEGIN
            IF NOT there THEN
                EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.done INCLUDING DEFAULTS INCLUDING CONSTRAINTS'
                || ' INCLUDING COMPRESSION) WITH (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 2000000)', partition);
            END IF;
            EXECUTE format('ALTER TABLE ${schema}.done ATTACH PARTITION ${schema}.%I FOR VALUES FROM (%L) TO (%L)',
                partition, this_day::timestamp AT TIME ZONE 'UTC', (this_day + 1)::timestamp AT TIME ZONE 'UTC');
        EXCEPTION WHEN OTHERS THEN
            IF ${schema}.is_done_partition(partition) OR NOT there AND SQLSTATE IN ('42P07', '23505') THEN
                NULL; -- another node made it at the same moment
            ELSIF there THEN
                RAISE WARNING '${schema}.% is not a partition of ${schema}.done and cannot become one, so jobs that end on % cannot be written down: %; rename it or drop it',
                    partition, this_day, SQLERRM;
            ELSE
                RAISE;
            END IF;
        END;
    END LOOP;
END
$$;

-- Drops one day of done, and nothing else: nodes may do this without owning the table.
CREATE FUNCTION ${schema}.drop_done_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF partition !~ '^done_[0-9]{8}$' THEN
        RAISE EXCEPTION '% is not the name of a partition of ${schema}.done', partition;
    END IF;
    IF to_regclass(format('${schema}.%I', partition)) IS NOT NULL AND NOT EXISTS (
            SELECT FROM pg_inherits WHERE inhparent = '${schema}.done'::regclass AND inhrelid = to_regclass(format('${schema}.%I', partition))) THEN
        RAISE EXCEPTION '${schema}.% is not a partition of ${schema}.done', partition;
    END IF;
    EXECUTE format('DROP TABLE ${schema}.%I', partition);
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.ensure_done_partitions(int), ${schema}.drop_done_partition(text) FROM PUBLIC;

SELECT ${schema}.ensure_done_partitions(7);

DO $$
BEGIN
    COMMENT ON SCHEMA ${schema} IS 'Rowlock, a job queue. Read the views job and failure; change jobs by JobAdmin, not by hand.';
EXCEPTION
    WHEN insufficient_privilege THEN NULL; -- somebody else owns the schema
END
$$;

COMMENT ON SEQUENCE ${schema}.job_id IS 'Ids of jobs. Gaps are normal.';
COMMENT ON SEQUENCE ${schema}.claim_token IS 'Claim tokens. They must only grow: never set it back, never give it a cache.';
COMMENT ON SEQUENCE ${schema}.node_id IS 'Ids of nodes. They are never used again.';

COMMENT ON VIEW ${schema}.job IS 'All jobs, one short line each.';
COMMENT ON VIEW ${schema}.job_details IS 'All jobs with everything that is known of them, payloads too.';
COMMENT ON VIEW ${schema}.failure IS 'The last error of each job that has not ended well.';
COMMENT ON TABLE ${schema}.ready IS 'Jobs that may run now.';
COMMENT ON TABLE ${schema}.waiting IS 'Jobs that are due later.';
COMMENT ON TABLE ${schema}.running IS 'Jobs that a node has claimed.';
COMMENT ON TABLE ${schema}.done IS 'Jobs that were completed or cancelled. One partition a day, UTC.';
COMMENT ON TABLE ${schema}.dead IS 'Jobs that failed for good or were quarantined. They wait for redrive or discard.';
COMMENT ON TABLE ${schema}.payload IS 'Large payloads. Their jobs have null as payload.';
COMMENT ON TABLE ${schema}.unique_key IS 'The job that holds, or last held, a unique key.';
COMMENT ON TABLE ${schema}.node IS 'Processes that run jobs. A row is a lease.';
COMMENT ON TABLE ${schema}.past_node IS 'Processes that are gone, as long as an ended job may name them.';
COMMENT ON TABLE ${schema}.reached IS 'How far claims have got in each queue. A hint; it may be emptied at any time.';
COMMENT ON TABLE ${schema}.queue IS 'Queues that were paused.';
COMMENT ON TABLE ${schema}.chore IS 'Work that one node does for all.';
COMMENT ON TABLE ${schema}.depth IS 'The last measurement of how many jobs there are.';
COMMENT ON TABLE ${schema}.retention IS 'How long nodes want ended jobs and the audit to be kept. The longest wins.';
COMMENT ON TABLE ${schema}.dropped IS 'How many jobs retention and discard have removed.';
COMMENT ON FUNCTION ${schema}.last_job_id() IS 'The last id that was given to a job.';
COMMENT ON FUNCTION ${schema}.with_error(jsonb, smallint, bigint, jsonb) IS 'Adds an entry to the errors of a job; keeps the last 20.';
COMMENT ON FUNCTION ${schema}.is_done_partition(text) IS 'Whether the table is an attached partition of done.';
COMMENT ON FUNCTION ${schema}.ensure_done_partitions(int) IS 'Makes the partitions of done for today and some days to come.';
COMMENT ON FUNCTION ${schema}.drop_done_partition(text) IS 'Drops one partition of done.';

-- A column means the same wherever it stands, but for those named with their table.
DO $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', c.oid::regclass, a.attname, m.meaning)
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          JOIN (VALUES
            ('id', 'Id of the job.'),
            ('node.id', 'Id of the node.'),
            ('past_node.id', 'Id of the node.'),
            ('job_id', 'Id of the job.'),
            ('state', 'waiting, ready, running, completed, cancelled, failed or quarantined.'),
            ('depth.state', 'waiting, ready, running or dead.'),
            ('queue', 'Its queue.'),
            ('job_key', 'Which tenant, account or document it is about: limits count by it; null: none.'),
            ('gate', 'Its key, or empty text, if it counts against limits of its queue; null: it does not.'),
            ('last_job', 'The last id that a job had when it died.'),
            ('type', 'Its type, which chooses the listener.'),
            ('priority', 'Higher runs first; 0 by default.'),
            ('rank', 'Minus its priority: the lowest rank runs first.'),
            ('attempt', 'Number of its last attempt, the running one included; 0: none yet. Attempts that a crash or release undid do not count.'),
            ('crashes', 'How often its node died while it ran.'),
            ('max_retries', 'Attempts after the first; null: as its listener says.'),
            ('timeout_millis', 'Time that an attempt may take, in milliseconds; null: as its listener says.'),
            ('enqueued_at', 'When it was enqueued.'),
            ('due_at', 'When it becomes runnable, or became so.'),
            ('chore.due_at', 'When it is to be done again.'),
            ('ready_at', 'Since when it is runnable.'),
            ('since', 'When its wait began; null: it is due at a time that somebody named.'),
            ('claimed_at', 'When its last attempt was claimed; null: it never was.'),
            ('deadline', 'When its attempt must have ended; null: no limit.'),
            ('finished_at', 'When it was completed or cancelled.'),
            ('died_at', 'When it failed for good or was quarantined.'),
            ('job_details.ended_at', 'When it was completed, cancelled, failed for good or was quarantined.'),
            ('node_id', 'Node of its last attempt; its name is in node or past_node.'),
            ('token', 'Number of its last claim. Only the claim with this number may record the outcome.'),
            ('reason', 'Why it waits: scheduled, retry, snooze, unknown-type, not-started, crash, redrive.'),
            ('progress', 'Progress in percent, 0 to 100, as its handler said last.'),
            ('progress_note', 'What its handler said about its progress.'),
            ('cancel_requested', 'Whether somebody asked to cancel it.'),
            ('isolated', 'Whether it was started as the only suspect of its node.'),
            ('payload', 'What it works on; null: it lies in the table payload.'),
            ('payload.payload', 'What the job works on.'),
            ('job_details.payload', 'What it works on.'),
            ('headers', 'Its headers, as JSON object.'),
            ('errors', 'What went wrong, oldest first, the last 20: attempt, node, at, type, message, trace.'),
            ('result', 'What its handler returned; null: nothing was kept.'),
            ('job.at', 'waiting: when it is due; ready and running: since when; ended: when.'),
            ('job.why', 'Why it waits or died, with its last error; running: its progress.'),
            ('job.node', 'Name of the node of its last attempt.'),
            ('failure.node', 'Name of the node on which it failed.'),
            ('failed_at', 'When its last error was recorded.'),
            ('failed_attempt', 'The attempt that failed.'),
            ('class', 'Class of the exception, or a word such as timeout or crash.'),
            ('message', 'Message of the exception.'),
            ('trace', 'Stack trace.'),
            ('bytes', 'Size of the payload in bytes, not compressed.'),
            ('key', 'The unique key, among jobs of the type.'),
            ('held_until', 'The key is not free before, even if the job has ended; null: free as it ends.'),
            ('name', 'Name, for people: host name and process id by default.'),
            ('queue.name', 'Name of the queue.'),
            ('chore.name', 'Name of the chore.'),
            ('queues', 'Queues whose jobs it runs.'),
            ('started_at', 'When it started.'),
            ('past_node.ended_at', 'When it stopped or its lease ran out.'),
            ('expired', 'Whether its lease ran out; false: it stopped in good order.'),
            ('heartbeat_at', 'Its last heartbeat.'),
            ('beats', 'How many heartbeats there were.'),
            ('lease_millis', 'It counts as dead after so many milliseconds without a heartbeat.'),
            ('retries', 'Retries and waits of its listeners, by type.'),
            ('reached_at', 'When the claim got there.'),
            ('paused_at', 'When it was paused; null: it is not.'),
            ('taken_at', 'When a node took it last.'),
            ('jobs', 'How many jobs.'),
            ('oldest_at', 'ready: since when the oldest job is runnable.'),
            ('measured_at', 'When it was measured.'),
            ('done_millis', 'How long completed and cancelled jobs are kept, in milliseconds.'),
            ('dead_millis', 'How long dead jobs are kept, in milliseconds; the largest number: for ever.'),
            ('audit_millis', 'How long the audit is kept, in milliseconds.'),
            ('stated_at', 'When a node last said so.'),
            ('dropped_at', 'When they were removed.'),
            ('room', 'From where: done or dead.')
          ) AS m (name, meaning) ON m.name IN (a.attname, c.relname || '.' || a.attname)
         WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
           AND c.relname <> 'schema_history'
         ORDER BY m.name LIKE '%.%' -- the particular meaning comes last and stays
    LOOP
        EXECUTE command;
    END LOOP;
END
$$;
