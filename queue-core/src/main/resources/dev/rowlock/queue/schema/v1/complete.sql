-- Completes a job in the transaction of its listener. Where a later release completes in another way, that gets the next number.
--
-- The plan is made once for a connection, often while running is empty, and must serve a full one: the settings leave it no look but the one by id.
-- A client could keep such a plan only by changing settings of the listener's transaction and back, and to plan anew for each job took the server three times
-- as long as all else that the job did there.
--
-- Returns whether the claim was still held. If not, the transaction must roll back.
CREATE FUNCTION ${schema}.complete_v1(p_job bigint, p_token bigint, p_result json, p_keep boolean) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    IF NOT p_keep THEN
        DELETE FROM ${schema}.running WHERE id = p_job AND token = p_token;
        RETURN FOUND;
    END IF;
    WITH finished AS (DELETE FROM ${schema}.running WHERE id = p_job AND token = p_token RETURNING *)
    INSERT INTO ${schema}.done (id, finished_at, enqueued_at, claimed_at, token, node_id, timeout_millis, rank, attempt, crashes, max_retries, state,
                                queue, job_key, type, payload, headers, errors, result)
    SELECT id, statement_timestamp(), enqueued_at, claimed_at, token, node_id, timeout_millis, rank, attempt, crashes, max_retries, 'completed',
           queue, job_key, type, payload, headers, errors, p_result
      FROM finished;
    RETURN FOUND;
END
$$;
