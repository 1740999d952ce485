-- Nodes, what one of them does for all, and what it has measured.

-- The processes that run jobs. A row is a lease: whoever has seen its beats stand still for the whole lease may remove it and
-- take the node's jobs. Whether they stand still each node watches by its own monotonic clock: the server's may be set.
CREATE TABLE ${schema}.node (
    id           bigint      NOT NULL PRIMARY KEY,
    name         text        COLLATE "C" NOT NULL,
    queues       text[]      COLLATE "C" NOT NULL,  -- whose jobs it runs
    started_at   timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    beats        bigint      NOT NULL,  -- how many there have been
    lease_millis bigint      NOT NULL,
    retries      jsonb,                 -- how often its listeners try again and after which waits, by type: for whoever
                                        -- takes a job from a handler that ignores its deadline
    slots        int[]                  -- how many jobs it runs at once, for each of its queues in their order; for people: no claim reads it
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Nodes that are gone: who ran an ended job is asked when its node has long left. A row comes with the statement that
-- removes the node. A chore removes rows that no ended job can name any more.
CREATE TABLE ${schema}.past_node (
    id         bigint      NOT NULL PRIMARY KEY,
    name       text        COLLATE "C" NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at   timestamptz NOT NULL,
    expired    boolean     NOT NULL -- its lease ran out; false: it stopped in good order
);

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
    room        text COLLATE "C" NOT NULL,
    jobs        bigint      NOT NULL,
    oldest_at   timestamptz,
    measured_at timestamptz NOT NULL,
    PRIMARY KEY (queue, room)
);

-- What one node has measured of the database for all nodes, which export it as meters.
CREATE TABLE ${schema}.figure (
    name        text             COLLATE "C" NOT NULL,
    detail      text             COLLATE "C" NOT NULL,
    value       double precision NOT NULL,
    measured_at timestamptz      NOT NULL,
    PRIMARY KEY (name, detail)
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
