-- Jobs with a unique key carry it in a header of Rowlock's own, so that lists of jobs can show it. Handlers do not see it, and nothing decides by it:
-- which job holds a key, unique_key says.

SET LOCAL lock_timeout = '50ms';

-- As in V3, but for the header.
CREATE OR REPLACE FUNCTION ${schema}.enqueue_unique(type text, payload json, key text, at_least interval DEFAULT '0', queue text DEFAULT 'default',
                                         priority int DEFAULT 0, delay interval DEFAULT NULL, run_at timestamptz DEFAULT NULL,
                                         max_retries int DEFAULT NULL, timeout interval DEFAULT NULL, headers json DEFAULT NULL,
                                         OUT id bigint, OUT created boolean)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    new_id CONSTANT bigint := nextval('${schema}.job_id');
    holder bigint;
    held boolean;
    marked json;
BEGIN
    PERFORM ${schema}.require_name('job type', type);
    IF key IS NULL OR char_length(key) NOT BETWEEN 1 AND 255 THEN
        RAISE EXCEPTION 'a unique key of % characters is not allowed: it has 1 to 255', coalesce(char_length(key), 0)
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_least IS NULL OR extract(epoch FROM at_least) NOT BETWEEN 0 AND 365 * 86400 THEN
        RAISE EXCEPTION 'at_least % must lie between 0 and 365 days', at_least USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR look IN 1 .. 10 LOOP
        SELECT k.job_id,
               coalesce(k.held_until > clock_timestamp(), false)
               OR (SELECT w.id FROM ${schema}.waiting w WHERE w.id = k.job_id) IS NOT NULL
               OR (SELECT r.id FROM ${schema}.ready r WHERE r.id = k.job_id) IS NOT NULL
               OR (SELECT r.id FROM ${schema}.running r WHERE r.id = k.job_id) IS NOT NULL
          INTO holder, held
          FROM ${schema}.unique_key k WHERE k.type = type AND k.key = key;
        IF held THEN
            id := holder;
            created := false;
            RETURN;
        END IF;
        INSERT INTO ${schema}.unique_key AS k (type, key, job_id, held_until)
        VALUES (type, key, new_id, CASE WHEN extract(epoch FROM at_least) > 0 THEN clock_timestamp() + at_least END)
            ON CONFLICT ON CONSTRAINT unique_key_pkey DO UPDATE SET job_id = excluded.job_id, held_until = excluded.held_until
         WHERE k.job_id = holder;
        IF FOUND THEN
            PERFORM ${schema}.place_job(new_id, type, payload, queue, priority, delay, run_at, max_retries, timeout, headers);
            -- Not before: nobody but Rowlock may give it such a header. The row is this transaction's own.
            SELECT json_object_agg(h.name, h.value)
              INTO marked
              FROM (SELECT e.key AS name, e.value FROM json_each(headers) AS e
                     UNION ALL
                    SELECT 'rowlock-unique-key', to_json(key)) AS h;
            UPDATE ${schema}.ready r SET headers = marked WHERE r.id = new_id;
            IF NOT FOUND THEN
                UPDATE ${schema}.waiting w SET headers = marked WHERE w.id = new_id;
            END IF;
            id := new_id;
            created := true;
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'unique key % changed hands at each of 10 looks: try again', quote_literal(key) USING ERRCODE = 'serialization_failure';
END
$$;
