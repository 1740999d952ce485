-- Keys for the jobs of recurring jobs, and for those that SQL enqueues.

SET LOCAL lock_timeout = '50ms';

ALTER TABLE ${schema}.schedule ADD COLUMN job_key text COLLATE "C";

CREATE FUNCTION ${schema}.enqueue_with_key(type text, payload json, key text, queue text DEFAULT 'default', priority int DEFAULT 0,
                                           delay interval DEFAULT NULL, run_at timestamptz DEFAULT NULL, max_retries int DEFAULT NULL,
                                           timeout interval DEFAULT NULL, headers json DEFAULT NULL) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    new_id CONSTANT bigint := nextval('${schema}.job_id');
BEGIN
    IF key IS NULL OR char_length(key) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION 'a key of % characters is not allowed: it has 1 to 200', coalesce(char_length(key), 0)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM ${schema}.place_job(new_id, type, payload, queue, priority, delay, run_at, max_retries, timeout, headers);
    UPDATE ${schema}.ready SET job_key = key WHERE id = new_id;
    IF FOUND THEN
        PERFORM ${schema}.send_wakeup('k|1|' || queue);
    ELSE
        UPDATE ${schema}.waiting SET job_key = key WHERE id = new_id;
    END IF;
    RETURN new_id;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.enqueue_with_key(text, json, text, text, int, interval, timestamptz, int, interval, json) FROM PUBLIC;

COMMENT ON COLUMN ${schema}.schedule.job_key IS 'The key of each of its jobs; null: none.';
COMMENT ON FUNCTION ${schema}.enqueue_with_key(text, json, text, text, int, interval, timestamptz, int, interval, json) IS 'Enqueues a job with a key, such as a tenant, and returns its id.';
