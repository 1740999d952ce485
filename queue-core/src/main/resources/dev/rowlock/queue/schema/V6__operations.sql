-- What operators do: pauses, bulk actions, and who did what.

-- What nodes leave alone until somebody resumes it. They read it with each heartbeat.
CREATE TABLE ${schema}.pause (
    kind      text COLLATE "C" NOT NULL CHECK (kind IN ('queue', 'type', 'everything')),
    name      text COLLATE "C" NOT NULL,             -- empty: everything has no name
    paused_at timestamptz NOT NULL,
    who       text NOT NULL,
    why       text,
    PRIMARY KEY (kind, name)
);
INSERT INTO ${schema}.pause (kind, name, paused_at, who) SELECT 'queue', name, paused_at, 'unknown' FROM ${schema}.queue WHERE paused_at IS NOT NULL;
DROP TABLE ${schema}.queue;

-- One line for each action, written by the statement or in the transaction that acts. That of a bulk action counts with its batches.
CREATE TABLE ${schema}.audit (
    id             bigint      GENERATED ALWAYS AS IDENTITY,
    at             timestamptz NOT NULL,
    who            text        NOT NULL,
    why            text,
    action         text        COLLATE "C" NOT NULL,
    subject        text        NOT NULL,
    detail         text,
    jobs           bigint      NOT NULL,
    refused        bigint      NOT NULL DEFAULT 0,
    refusal        text,
    bulk_action_id bigint
);
CREATE INDEX audit_by_age ON ${schema}.audit (at);
CREATE INDEX audit_of_bulk_action ON ${schema}.audit (bulk_action_id) WHERE bulk_action_id IS NOT NULL;
ALTER TABLE ${schema}.audit ADD PRIMARY KEY (id);

-- What is done to many jobs, in batches. A batch and the place that it reached are one transaction: whoever dies, the next node goes on
-- behind the last batch that was committed.
CREATE TABLE ${schema}.bulk_action (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    kind        text        COLLATE "C" NOT NULL CHECK (kind IN ('redrive', 'discard', 'cancel')),
    state       text        COLLATE "C" NOT NULL CHECK (state IN ('running', 'finished', 'cancelled')),
    filter      json        NOT NULL,
    who         text        NOT NULL,
    why         text,
    created_at  timestamptz NOT NULL,
    counted     bigint      NOT NULL,
    counted_all boolean     NOT NULL,
    done        bigint      NOT NULL DEFAULT 0,
    refused     bigint      NOT NULL DEFAULT 0,
    refused_ids bigint[]    NOT NULL DEFAULT '{}',   -- those behind after_id
    refusal     text,
    after_id    bigint      NOT NULL DEFAULT 0,
    last_id     bigint      NOT NULL,
    per_second  int         CHECK (per_second > 0),
    batch_at    timestamptz NOT NULL,                -- of the last batch
    next_at     timestamptz NOT NULL,                -- of the next one, not before
    ended_at    timestamptz,
    CHECK ((state = 'running') = (ended_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX bulk_action_running ON ${schema}.bulk_action (id) WHERE state = 'running';
ALTER TABLE ${schema}.bulk_action ADD PRIMARY KEY (id);

COMMENT ON SEQUENCE ${schema}.audit_id_seq IS 'Numbers of audit lines. Gaps are normal.';
COMMENT ON SEQUENCE ${schema}.bulk_action_id_seq IS 'Numbers of bulk actions. Gaps are normal.';
COMMENT ON TABLE ${schema}.pause IS 'Queues and types that are paused, or everything.';
COMMENT ON COLUMN ${schema}.pause.kind IS 'queue, type or everything.';
COMMENT ON COLUMN ${schema}.pause.name IS 'Name of the queue or type; empty: everything.';
COMMENT ON COLUMN ${schema}.pause.paused_at IS 'Since when it is paused.';
COMMENT ON COLUMN ${schema}.pause.who IS 'Who paused it.';
COMMENT ON COLUMN ${schema}.pause.why IS 'Why; null: nobody said.';
COMMENT ON TABLE ${schema}.audit IS 'Who did what to jobs, queues and types, and why.';
COMMENT ON COLUMN ${schema}.audit.id IS 'Its number. Gaps are normal.';
COMMENT ON COLUMN ${schema}.audit.at IS 'When it was done; of a bulk action when it was asked for.';
COMMENT ON COLUMN ${schema}.audit.who IS 'Who did it.';
COMMENT ON COLUMN ${schema}.audit.why IS 'Why; null: nobody said.';
COMMENT ON COLUMN ${schema}.audit.action IS 'What was done.';
COMMENT ON COLUMN ${schema}.audit.subject IS 'To what: a job, a queue, a type, or the filter of a bulk action.';
COMMENT ON COLUMN ${schema}.audit.detail IS 'How, such as the new priority; null: there is nothing to say.';
COMMENT ON COLUMN ${schema}.audit.jobs IS 'To how many jobs so far.';
COMMENT ON COLUMN ${schema}.audit.refused IS 'How many jobs a bulk action has passed over, because the server refuses to change them.';
COMMENT ON COLUMN ${schema}.audit.refusal IS 'Why the last of them was refused; null: none was.';
COMMENT ON COLUMN ${schema}.audit.bulk_action_id IS 'The bulk action; null: it was another action.';
COMMENT ON TABLE ${schema}.bulk_action IS 'Redrives, discards and cancels of many jobs, with their progress.';
COMMENT ON COLUMN ${schema}.bulk_action.id IS 'Its number. Gaps are normal.';
COMMENT ON COLUMN ${schema}.bulk_action.kind IS 'redrive, discard or cancel.';
COMMENT ON COLUMN ${schema}.bulk_action.state IS 'running, finished or cancelled.';
COMMENT ON COLUMN ${schema}.bulk_action.filter IS 'Which jobs it is for.';
COMMENT ON COLUMN ${schema}.bulk_action.who IS 'Who asked for it.';
COMMENT ON COLUMN ${schema}.bulk_action.why IS 'Why; null: nobody said.';
COMMENT ON COLUMN ${schema}.bulk_action.created_at IS 'When it was asked for. Jobs that come later are none of its.';
COMMENT ON COLUMN ${schema}.bulk_action.counted IS 'How many jobs there were for it then.';
COMMENT ON COLUMN ${schema}.bulk_action.counted_all IS 'Whether all of them were counted; false: there were more.';
COMMENT ON COLUMN ${schema}.bulk_action.done IS 'To how many jobs it has been done.';
COMMENT ON COLUMN ${schema}.bulk_action.refused IS 'How many jobs it has passed over, because the server refuses to move them.';
COMMENT ON COLUMN ${schema}.bulk_action.refused_ids IS 'Those of them that it would meet again.';
COMMENT ON COLUMN ${schema}.bulk_action.refusal IS 'Why the last of them was refused; null: none was.';
COMMENT ON COLUMN ${schema}.bulk_action.after_id IS 'Jobs up to this id are done with.';
COMMENT ON COLUMN ${schema}.bulk_action.last_id IS 'The highest id that it is for.';
COMMENT ON COLUMN ${schema}.bulk_action.per_second IS 'How many jobs a second at most; null: as fast as may be.';
COMMENT ON COLUMN ${schema}.bulk_action.batch_at IS 'When the last batch was done.';
COMMENT ON COLUMN ${schema}.bulk_action.next_at IS 'When the next batch may be done.';
COMMENT ON COLUMN ${schema}.bulk_action.ended_at IS 'When it was finished or cancelled; null: it goes on.';
