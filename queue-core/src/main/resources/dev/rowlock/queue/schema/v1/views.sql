-- All jobs as one.

-- Jobs that have not ended well, with everything that is known of each.
CREATE VIEW ${schema}.other_job_details AS
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
               enqueued_at, NULL, claimed_at, NULL, died_at, node_id, token, NULL, NULL, NULL, false, payload, headers, errors, NULL
          FROM ${schema}.dead
      ) AS room;

-- All rooms as one.
CREATE VIEW ${schema}.job_details AS
    SELECT * FROM ${schema}.other_job_details
    UNION ALL
    SELECT id, state, queue, job_key, type, -rank, attempt, crashes, max_retries, timeout_millis, enqueued_at, NULL, claimed_at,
           NULL, finished_at, node_id, token, NULL, NULL, NULL, state = 'cancelled',
           coalesce(payload, (SELECT p.payload FROM ${schema}.payload p WHERE p.job_id = done.id)),
           headers, errors, result
      FROM ${schema}.done;

-- These jobs, each with everything that is known of it, by the caller's snapshot. The view does the same, but it reads all of done's partitions.
CREATE FUNCTION ${schema}.jobs_by_id(ids bigint[]) RETURNS SETOF ${schema}.job_details
    LANGUAGE plpgsql STABLE ROWS 10
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    found_done bigint;
BEGIN
    RETURN QUERY
        SELECT d.id, d.state, d.queue, d.job_key, d.type, -d.rank, d.attempt, d.crashes, d.max_retries, d.timeout_millis, d.enqueued_at,
               NULL::timestamptz, d.claimed_at, NULL::timestamptz, d.finished_at, d.node_id, d.token, NULL::text, NULL::smallint, NULL::text,
               d.state = 'cancelled', coalesce(d.payload, (SELECT p.payload FROM ${schema}.payload p WHERE p.job_id = d.id)),
               d.headers, d.errors, d.result
          FROM ${schema}.done_jobs(ids) AS d;
    GET DIAGNOSTICS found_done = ROW_COUNT;
    IF found_done < cardinality(ids) THEN
        -- Planned once for a connection, since a planner locks all indexes of these rooms: the settings leave it those by id, also for rooms that are empty then.
        RETURN QUERY SELECT * FROM ${schema}.other_job_details AS o WHERE o.id = ANY (ids);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.jobs_by_id(bigint[]) FROM PUBLIC;

-- The same to read: a line fits a terminal.
CREATE VIEW ${schema}.job AS
    SELECT id, state, queue, type, priority, attempt, crashes,
           coalesce(ended_at, claimed_at, due_at)::timestamptz(0) AS at,
           CASE WHEN state = 'running' THEN concat_ws(' ', progress || ' %', left(progress_note, 60))
                WHEN state IN ('waiting', 'dead', 'quarantined')
                THEN concat_ws(': ', reason, substring((errors -> -1 ->> 'type') COLLATE "C" FROM '[^.]*$'),
                               left(split_part(errors -> -1 ->> 'message', E'\n', 1), 60)) END AS why,
           coalesce((SELECT name FROM ${schema}.node WHERE id = node_id),
                    (SELECT name FROM ${schema}.past_node WHERE id = node_id)) AS node
      FROM ${schema}.job_details;

-- Live and dead jobs with a failed attempt, each with its last error.
CREATE VIEW ${schema}.failure AS
    SELECT id, state, queue, type, attempt, crashes, (error ->> 'at')::timestamptz AS failed_at,
           (error ->> 'attempt')::smallint AS failed_attempt, error ->> 'type' AS class, error ->> 'message' AS message,
           coalesce((SELECT name FROM ${schema}.node WHERE id = (error ->> 'node')::bigint),
                    (SELECT name FROM ${schema}.past_node WHERE id = (error ->> 'node')::bigint)) AS node,
           error ->> 'trace' AS trace
      FROM (SELECT id, state, queue, type, attempt, crashes, errors -> -1 AS error
              FROM ${schema}.other_job_details
             WHERE errors IS NOT NULL) AS failed;
