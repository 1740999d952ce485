-- How many jobs of a queue, and of a key in it, may run over all nodes: how many at once, how many in a time, and in which order.

SET LOCAL lock_timeout = '50ms';

-- A queue without a row has no limits. What runs is counted in running: no counter is kept, so none can be wrong.
CREATE TABLE ${schema}.queue_limit (
    queue               text        COLLATE "C" PRIMARY KEY,
    max_running         int         CHECK (max_running > 0),         -- null: no limit
    max_running_per_key int         CHECK (max_running_per_key > 0), -- null: no limit
    rate_jobs           int         CHECK (rate_jobs > 0),           -- null: no limit, as below
    rate_millis         bigint      CHECK (rate_millis > 0),
    rate_burst          int         CHECK (rate_burst > 0),
    key_rate_jobs       int         CHECK (key_rate_jobs > 0),
    key_rate_millis     bigint      CHECK (key_rate_millis > 0),
    key_rate_burst      int         CHECK (key_rate_burst > 0),
    in_order            text        COLLATE "C" CHECK (in_order IN ('hold', 'continue', 'cancel-rest')), -- null: in no strict order
    of_queue            boolean     GENERATED ALWAYS AS (max_running IS NOT NULL OR rate_jobs IS NOT NULL) STORED,
    of_keys             boolean     GENERATED ALWAYS AS (max_running_per_key IS NOT NULL OR key_rate_jobs IS NOT NULL OR in_order IS NOT NULL) STORED,
    declared            boolean     NOT NULL DEFAULT false,          -- by an application; otherwise set at run time, which wins
    changed_at          timestamptz NOT NULL DEFAULT statement_timestamp(),
    who                 text,                                        -- null: nobody said
    CHECK (num_nulls(rate_jobs, rate_millis, rate_burst) IN (0, 3)),
    CHECK (num_nulls(key_rate_jobs, key_rate_millis, key_rate_burst) IN (0, 3))
);

-- How far each rate is used up, as the generic cell rate algorithm says it: the theoretical arrival time of the next job. Rows are
-- never updated: while some transaction holds back vacuum, a row that is would gather versions for each claim to walk over, but here the
-- last one comes first. A chore removes the others, and those that say no more than none would.
CREATE TABLE ${schema}.rate_state (
    queue      text             COLLATE "C" NOT NULL,
    gate       text             COLLATE "C" NOT NULL, -- the key; empty: of the queue as a whole
    number     bigint           NOT NULL,             -- the highest counts; drawn under the lock of the gate
    next_at    double precision NOT NULL,             -- epoch in seconds
    held_until double precision,                      -- epoch in seconds; nothing begins before; null: no such time
    PRIMARY KEY (queue, gate, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);

-- Keys that get more than others of each claim. A key without a row has the weight 1.
CREATE TABLE ${schema}.key_weight (
    queue      text        COLLATE "C" NOT NULL,
    job_key    text        COLLATE "C" NOT NULL,
    weight     int         NOT NULL CHECK (weight BETWEEN 2 AND 1000),
    PRIMARY KEY (queue, job_key)
);

-- What a state is worth. One that the rate could not have reached says nothing: the clock was set back, or the rate was raised.
CREATE FUNCTION ${schema}.rate_valid(jobs int, millis bigint, burst int, next_at double precision, now double precision)
    RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN next_at <= now + burst * millis::double precision / 1000 / jobs + 0.001 THEN next_at END
$$;

-- How many jobs may begin now: the burst at most, and 0 or less where the rate is used up.
CREATE FUNCTION ${schema}.rate_permits(jobs int, millis bigint, burst int, next_at double precision, held_until double precision, now double precision)
    RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN held_until > now THEN 0
                ELSE least(burst, floor((now - coalesce(${schema}.rate_valid(jobs, millis, burst, next_at, now), 0)) * 1000 * jobs / millis) + burst)::int
           END
$$;

-- In how many seconds the next job may begin; 0 or less, or null: now.
CREATE FUNCTION ${schema}.rate_wait(jobs int, millis bigint, burst int, next_at double precision, held_until double precision, now double precision)
    RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(held_until - now,
                    ${schema}.rate_valid(jobs, millis, burst, next_at, now) - now - (burst - 1) * millis::double precision / 1000 / jobs)
$$;

-- Where the next job may begin, leaving the burst aside, after so many have begun now.
CREATE FUNCTION ${schema}.rate_next(jobs int, millis bigint, burst int, next_at double precision, now double precision, begun bigint)
    RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(now, ${schema}.rate_valid(jobs, millis, burst, next_at, now)) + begun * millis::double precision / 1000 / jobs
$$;

COMMENT ON TABLE ${schema}.queue_limit IS 'How many jobs of a queue may run, how fast they may begin, and in which order, over all nodes.';
COMMENT ON COLUMN ${schema}.queue_limit.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.queue_limit.max_running IS 'So many of its jobs at once; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.max_running_per_key IS 'So many of its jobs of each key at once; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.rate_jobs IS 'So many of its jobs begin in a time; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.rate_millis IS 'That time, in milliseconds.';
COMMENT ON COLUMN ${schema}.queue_limit.rate_burst IS 'So many may begin at once after a pause.';
COMMENT ON COLUMN ${schema}.queue_limit.key_rate_jobs IS 'So many of its jobs of each key begin in a time; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.key_rate_millis IS 'That time, in milliseconds.';
COMMENT ON COLUMN ${schema}.queue_limit.key_rate_burst IS 'So many may begin at once after a pause.';
COMMENT ON COLUMN ${schema}.queue_limit.in_order IS 'Jobs of a key run one after the other; when one fails for good, the others: hold, continue, cancel-rest. Null: in no strict order.';
COMMENT ON COLUMN ${schema}.queue_limit.of_queue IS 'Whether something limits the queue as a whole.';
COMMENT ON COLUMN ${schema}.queue_limit.of_keys IS 'Whether something limits its keys.';
COMMENT ON COLUMN ${schema}.queue_limit.declared IS 'Whether an application declares it; false: it was set at run time.';
COMMENT ON COLUMN ${schema}.queue_limit.changed_at IS 'When it was set.';
COMMENT ON COLUMN ${schema}.queue_limit.who IS 'Who set it; null: nobody said.';
COMMENT ON TABLE ${schema}.key_weight IS 'Keys that get more than others of each claim.';
COMMENT ON COLUMN ${schema}.key_weight.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.key_weight.job_key IS 'The key.';
COMMENT ON COLUMN ${schema}.key_weight.weight IS 'It gets so many times as many jobs of each claim as a key without a row.';
COMMENT ON TABLE ${schema}.rate_state IS 'How far each rate is used up. The row with the highest number counts.';
COMMENT ON COLUMN ${schema}.rate_state.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.rate_state.gate IS 'The key; empty: the queue as a whole.';
COMMENT ON COLUMN ${schema}.rate_state.number IS 'The row with the highest number counts.';
COMMENT ON COLUMN ${schema}.rate_state.next_at IS 'When the next job may begin, leaving the burst aside; an epoch in seconds.';
COMMENT ON COLUMN ${schema}.rate_state.held_until IS 'Nothing begins before, because a handler was refused; an epoch in seconds; null: no such time.';
COMMENT ON FUNCTION ${schema}.rate_permits(int, bigint, int, double precision, double precision, double precision) IS 'How many jobs a rate allows now.';
COMMENT ON FUNCTION ${schema}.rate_wait(int, bigint, int, double precision, double precision, double precision) IS 'In how many seconds a rate allows the next job.';
COMMENT ON FUNCTION ${schema}.rate_next(int, bigint, int, double precision, double precision, bigint) IS 'Where the next job may begin after so many have begun now.';
COMMENT ON FUNCTION ${schema}.rate_valid(int, bigint, int, double precision, double precision) IS 'The state of a rate; null if the rate could not have reached it.';
