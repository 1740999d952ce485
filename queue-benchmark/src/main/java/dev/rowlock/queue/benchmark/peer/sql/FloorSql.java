package dev.rowlock.queue.benchmark.peer.sql;

/** The statements of the floor. */
final class FloorSql {

    /** Settings of tables are those of Rowlock's own. */
    static final String TABLES = """
            CREATE SCHEMA IF NOT EXISTS bench;
            CREATE SEQUENCE IF NOT EXISTS bench.job_id;
            CREATE SEQUENCE IF NOT EXISTS bench.claim_token;
            CREATE TABLE IF NOT EXISTS bench.ready (
                id       bigint      NOT NULL PRIMARY KEY,
                ready_at timestamptz NOT NULL,
                rank     smallint    NOT NULL,
                attempt  smallint    NOT NULL DEFAULT 0,
                queue    text        COLLATE "C" NOT NULL,
                type     text        COLLATE "C" NOT NULL,
                payload  json        NOT NULL
            ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
                    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false);
            CREATE INDEX IF NOT EXISTS ready_in_order ON bench.ready (queue, rank, ready_at, id);
            CREATE TABLE IF NOT EXISTS bench.running (
                id         bigint      NOT NULL PRIMARY KEY,
                token      bigint      NOT NULL,
                node_id    bigint      NOT NULL,
                ready_at   timestamptz NOT NULL,
                claimed_at timestamptz NOT NULL,
                rank       smallint    NOT NULL,
                attempt    smallint    NOT NULL,
                queue      text        COLLATE "C" NOT NULL,
                type       text        COLLATE "C" NOT NULL,
                payload    json        NOT NULL
            ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
                    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false);
            CREATE TABLE IF NOT EXISTS bench.done (
                id          bigint      NOT NULL,
                finished_at timestamptz NOT NULL,
                ready_at    timestamptz NOT NULL,
                claimed_at  timestamptz NOT NULL,
                rank        smallint    NOT NULL,
                attempt     smallint    NOT NULL,
                queue       text        COLLATE "C" NOT NULL,
                type        text        COLLATE "C" NOT NULL,
                payload     json        NOT NULL,
                PRIMARY KEY (id, finished_at)
            ) PARTITION BY RANGE (finished_at);
            CREATE TABLE IF NOT EXISTS bench.done_all PARTITION OF bench.done DEFAULT;
            """;

    /** For the life of a connection: see Rowlock's own claim for why. */
    static final String PLAN = """
            SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off;
            SET enable_mergejoin = off; SET enable_sort = off
            """;

    static final String ENQUEUE = """
            INSERT INTO bench.ready (id, ready_at, rank, queue, type, payload)
            SELECT nextval('bench.job_id'), statement_timestamp(), rank, 'default', 'noop', payload::json
              FROM unnest(?::smallint[], ?::text[]) AS j (rank, payload)
            RETURNING id
            """;

    static final String CLAIM = """
            WITH claimed AS (
                DELETE FROM bench.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM bench.ready
                        WHERE queue = ? AND (rank, ready_at, id) > (?, ?, ?)
                        ORDER BY queue, rank, ready_at, id
                        LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING *
            )
            INSERT INTO bench.running (id, token, node_id, ready_at, claimed_at, rank, attempt, queue, type, payload)
            SELECT id, nextval('bench.claim_token'), 1, ready_at, statement_timestamp(), rank, attempt + 1, queue, type,
                   payload
              FROM claimed
            RETURNING id, token, rank, ready_at, type, attempt, payload
            """;

    static final String FORGET = """
            DELETE FROM bench.running r
             USING unnest(?::bigint[], ?::bigint[]) AS o (id, token)
             WHERE r.id = o.id AND r.token = o.token
            RETURNING r.token
            """;

    static final String KEEP = """
            WITH finished AS (
                DELETE FROM bench.running r
                 USING unnest(?::bigint[], ?::bigint[]) AS o (id, token)
                 WHERE r.id = o.id AND r.token = o.token
                RETURNING r.*
            )
            INSERT INTO bench.done (id, finished_at, ready_at, claimed_at, rank, attempt, queue, type, payload)
            SELECT id, statement_timestamp(), ready_at, claimed_at, rank, attempt, queue, type, payload
              FROM finished
            RETURNING id
            """;

    private FloorSql() {}
}
