-- SQL enqueues jobs that have both a unique key and a key, as JobTemplate does.

SET LOCAL lock_timeout = '50ms';

CREATE FUNCTION ${schema}.enqueue_unique_with_key(type text, payload json, unique_key text, key text, at_least interval DEFAULT '0',
                                                  queue text DEFAULT 'default', priority int DEFAULT 0, delay interval DEFAULT NULL,
                                                  run_at timestamptz DEFAULT NULL, max_retries int DEFAULT NULL, timeout interval DEFAULT NULL,
                                                  headers json DEFAULT NULL, OUT id bigint, OUT created boolean)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
    IF key IS NULL OR char_length(key) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION 'a key of % characters is not allowed: it has 1 to 200', coalesce(char_length(key), 0)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT u.id, u.created
      INTO id, created
      FROM ${schema}.enqueue_unique(type, payload, unique_key, at_least, queue, priority, delay, run_at, max_retries, timeout, headers) AS u;
    IF created THEN
        UPDATE ${schema}.ready r SET job_key = key WHERE r.id = id;
        IF FOUND THEN
            PERFORM ${schema}.send_wakeup('k|1|' || queue);
        ELSE
            UPDATE ${schema}.waiting w SET job_key = key WHERE w.id = id;
        END IF;
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.enqueue_unique_with_key(text, json, text, text, interval, text, int, interval, timestamptz, int, interval, json) FROM PUBLIC;

COMMENT ON FUNCTION ${schema}.enqueue_unique_with_key(text, json, text, text, interval, text, int, interval, timestamptz, int, interval, json) IS 'As enqueue_unique; a job that it creates has a key, such as a tenant.';
