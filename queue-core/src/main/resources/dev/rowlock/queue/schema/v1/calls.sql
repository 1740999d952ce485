-- What psql, triggers and programs in other languages call. Each function checks its arguments as JobTemplate and JobAdmin do, and tells
-- nodes of what it did, with the caller's commit. Times are of the call, not of the statement or the loop that it is in. They run with their owner's rights: whoever may call them needs no right to any table.

CREATE FUNCTION ${schema}.require_name(what text, name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF name IS NULL OR name COLLATE "C" !~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$' THEN
        RAISE EXCEPTION '% name % is not valid: 1 to 100 letters, digits or . _ : / - are allowed, the first a letter or digit',
            what, quote_nullable(left(name, 100)) USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

CREATE FUNCTION ${schema}.require_headers(headers json) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    header record;
    count int := 0;
    length int := 0;
BEGIN
    IF headers IS NULL THEN
        RETURN;
    END IF;
    IF json_typeof(headers) <> 'object' THEN
        RAISE EXCEPTION 'headers are a %, and must be an object of strings', json_typeof(headers)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR header IN SELECT key, json_typeof(value) AS type, value #>> '{}' AS value FROM json_each(headers) LOOP
        count := count + 1;
        length := length + char_length(header.key) + char_length(header.value);
        IF header.type <> 'string' THEN
            RAISE EXCEPTION 'header % is a %, and must be a string', quote_literal(left(header.key, 100)), header.type
                USING ERRCODE = 'invalid_parameter_value';
        ELSIF header.key = '' OR char_length(header.key) > 1000 OR char_length(header.value) > 1000 THEN
            RAISE EXCEPTION 'a header with a key of % and a value of % characters is not allowed: keys have 1 to 1000 characters, values up to 1000',
                char_length(header.key), char_length(header.value) USING ERRCODE = 'invalid_parameter_value';
        ELSIF starts_with(header.key, 'rowlock-') THEN
            RAISE EXCEPTION 'a header whose key begins with ''rowlock-'' is not allowed: such headers are Rowlock''s own'
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END LOOP;
    IF count > 64 OR length > 8000 THEN
        RAISE EXCEPTION '% headers of % characters are too many: up to 64 with 8000 characters together are allowed', count, length
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

CREATE FUNCTION ${schema}.send_wakeup(message text) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    -- Where the server's queue of notifications is full, because somebody listens and sleeps, one more fails the caller's commit.
    SELECT CASE WHEN coalesce(current_setting('rowlock.notify', true), 'on') <> 'off' AND pg_notification_queue_usage() < 0.9
                THEN pg_notify('rowlock_' || trim('"' FROM '${schema}'), 'sql|' || message) END;
$$;

-- There is a job of this key, or room for one. The first keys of a transaction are named, so that nodes ask them first; of many nobody need know which they are.
CREATE FUNCTION ${schema}.send_key_wakeup(queue text, key text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    named CONSTANT int := coalesce(nullif(current_setting('rowlock.named_keys', true), ''), '0')::int;
BEGIN
    IF named < 8 THEN
        PERFORM set_config('rowlock.named_keys', (named + 1)::text, true);
    END IF;
    PERFORM ${schema}.send_wakeup('k|1|' || queue || CASE WHEN named < 8 THEN '|' || key ELSE '' END);
END
$$;

-- Draws an id. Whoever is the first to draw a number from a server that has recovered lets them move on.
CREATE FUNCTION ${schema}.new_job_id() RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT ${schema}.numbers_are_new() THEN
        PERFORM ${schema}.skip_lost_numbers();
    END IF;
    RETURN nextval('${schema}.job_id');
END
$$;

-- Inserts a job whose id is drawn already.
CREATE FUNCTION ${schema}.place_job(id bigint, type text, payload json, queue text, priority int, delay interval, run_at timestamptz,
                                    max_retries int, timeout interval, headers json) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    now CONSTANT timestamptz := clock_timestamp();
    most CONSTANT bigint := 1048576;
    millis CONSTANT bigint := ceil(extract(epoch FROM delay) * 1000);
    timeout_millis CONSTANT bigint := extract(epoch FROM timeout) * 1000;
    deepest CONSTANT int := 500;
    inline json := payload;
    brackets text;
BEGIN
    PERFORM ${schema}.require_name('job type', type);
    PERFORM ${schema}.require_name('queue', queue);
    PERFORM ${schema}.require_headers(headers);
    IF payload IS NULL OR json_typeof(payload) = 'null' THEN
        RAISE EXCEPTION 'there is no payload: null cannot be enqueued' USING ERRCODE = 'invalid_parameter_value';
    ELSIF octet_length(payload::text) > most THEN
        RAISE EXCEPTION 'a payload of % bytes is larger than the allowed %', octet_length(payload::text), most
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF priority IS NULL OR priority NOT BETWEEN -1000 AND 1000 THEN
        RAISE EXCEPTION 'priority % must lie between -1000 and 1000', priority USING ERRCODE = 'invalid_parameter_value';
    ELSIF delay IS NOT NULL AND run_at IS NOT NULL THEN
        RAISE EXCEPTION 'a job is due either after a delay or at an instant: give one of delay and run_at'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF millis NOT BETWEEN 0 AND 36500 * 86400000::bigint THEN
        RAISE EXCEPTION 'delay % is out of range: it must lie between 0 and 100 years', delay USING ERRCODE = 'invalid_parameter_value';
    ELSIF run_at NOT BETWEEN '1970-01-01 00:00Z' AND '2255-01-01 00:00Z' THEN
        RAISE EXCEPTION 'run_at % is out of range: it must lie between 1970 and 2255', run_at USING ERRCODE = 'invalid_parameter_value';
    ELSIF max_retries NOT BETWEEN 0 AND 10000 THEN
        RAISE EXCEPTION 'max_retries % must lie between 0 and 10000', max_retries USING ERRCODE = 'invalid_parameter_value';
    ELSIF timeout_millis NOT BETWEEN 1 AND 365 * 86400000::bigint THEN
        RAISE EXCEPTION 'timeout % must lie between 1 ms and 365 days', timeout USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- A mapper reads no more levels than this, and a job whose payload cannot be read waits for ever.
    IF char_length(payload::text) - char_length(translate(payload::text, '[{', '')) > deepest THEN
        -- Without escapes, without strings, without all else: brackets are left.
        brackets := replace(replace(payload::text, chr(92) || chr(92), ''), chr(92) || '"', '');
        brackets := translate(regexp_replace(regexp_replace(brackets, '"[^"]*"', '', 'g'), '[^][{}]+', '', 'g'), '{}', '[]');
        FOR level IN 1 .. deepest LOOP
            EXIT WHEN brackets = '';
            brackets := replace(brackets, '[]', ''); -- the innermost level
        END LOOP;
        IF brackets <> '' THEN
            RAISE EXCEPTION 'the payload is nested more than % levels deep', deepest USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END IF;
    IF char_length(payload::text) > 4096 THEN
        INSERT INTO ${schema}.payload (job_id, bytes, payload) VALUES (id, octet_length(payload::text), payload);
        inline := NULL;
    END IF;
    IF run_at IS NULL AND coalesce(millis, 0) = 0 THEN
        INSERT INTO ${schema}.ready (id, ready_at, enqueued_at, timeout_millis, rank, max_retries, queue, type, payload, headers)
        VALUES (id, now, now, timeout_millis, -priority, max_retries, queue, type, inline, headers);
        PERFORM ${schema}.send_wakeup('r|' || -priority || '|1|0|' || queue);
    ELSE
        INSERT INTO ${schema}.waiting (id, due_at, enqueued_at, timeout_millis, rank, max_retries, reason, queue, type, payload, headers)
        VALUES (id, coalesce(run_at, now + millis * interval '1 ms'), now, timeout_millis, -priority, max_retries, 'scheduled', queue, type,
                inline, headers);
        PERFORM ${schema}.send_wakeup('w|' || coalesce(millis, 0));
    END IF;
END
$$;

CREATE FUNCTION ${schema}.enqueue(type text, payload json, queue text DEFAULT 'default', priority int DEFAULT 0,
                                  delay interval DEFAULT NULL, run_at timestamptz DEFAULT NULL, max_retries int DEFAULT NULL,
                                  timeout interval DEFAULT NULL, headers json DEFAULT NULL) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    new_id CONSTANT bigint := ${schema}.new_job_id();
BEGIN
    PERFORM ${schema}.place_job(new_id, type, payload, queue, priority, delay, run_at, max_retries, timeout, headers);
    RETURN new_id;
END
$$;

-- As enqueue, with a key such as a tenant.
CREATE FUNCTION ${schema}.enqueue_with_key(type text, payload json, key text, queue text DEFAULT 'default', priority int DEFAULT 0,
                                           delay interval DEFAULT NULL, run_at timestamptz DEFAULT NULL, max_retries int DEFAULT NULL,
                                           timeout interval DEFAULT NULL, headers json DEFAULT NULL) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    new_id CONSTANT bigint := ${schema}.new_job_id();
BEGIN
    IF key IS NULL OR char_length(key) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION 'a key of % characters is not allowed: it has 1 to 200', coalesce(char_length(key), 0)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM ${schema}.place_job(new_id, type, payload, queue, priority, delay, run_at, max_retries, timeout, headers);
    UPDATE ${schema}.ready SET job_key = key WHERE id = new_id;
    IF FOUND THEN
        PERFORM ${schema}.send_key_wakeup(queue, key);
    ELSE
        UPDATE ${schema}.waiting SET job_key = key WHERE id = new_id;
    END IF;
    RETURN new_id;
END
$$;

-- A transaction that sees one snapshot finds jobs where they were when it began. There, this fails to serialize if the job has left its room since. The
-- locks that show it are given back at once: neither claims nor outcomes wait for the end of the transaction.
CREATE FUNCTION ${schema}.unmoved(job bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        BEGIN
            PERFORM FROM ${schema}.waiting w WHERE w.id = job FOR KEY SHARE;
            PERFORM FROM ${schema}.ready r WHERE r.id = job FOR KEY SHARE;
            PERFORM FROM ${schema}.running r WHERE r.id = job FOR KEY SHARE;
            RAISE EXCEPTION 'it is where it was' USING ERRCODE = 'RL000'; -- rolls back to the BEGIN before it
        EXCEPTION WHEN SQLSTATE 'RL000' THEN
            NULL;
        END;
    END IF;
    RETURN job;
END
$$;

-- The rule is that of EnqueueUniqueJobs: a row is taken over only if it names the job that was found not to hold the key any more.
-- The job carries its key in a header of Rowlock's own, so that lists of jobs can show it; nothing decides by it.
CREATE FUNCTION ${schema}.enqueue_unique(type text, payload json, key text, at_least interval DEFAULT '0', queue text DEFAULT 'default',
                                         priority int DEFAULT 0, delay interval DEFAULT NULL, run_at timestamptz DEFAULT NULL,
                                         max_retries int DEFAULT NULL, timeout interval DEFAULT NULL, headers json DEFAULT NULL,
                                         OUT id bigint, OUT created boolean)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    new_id CONSTANT bigint := ${schema}.new_job_id();
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
            id := ${schema}.unmoved(holder);
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

-- As enqueue_unique; a job that it creates has a key.
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
            PERFORM ${schema}.send_key_wakeup(queue, key);
        ELSE
            UPDATE ${schema}.waiting w SET job_key = key WHERE w.id = id;
        END IF;
    END IF;
END
$$;

-- Where a job is, or how it ended: waiting, ready, running, completed, cancelled, dead, quarantined. Null: there is no such job.
CREATE FUNCTION ${schema}.job_state(job bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.state FROM ${schema}.jobs_by_id(ARRAY[job]) j
$$;

-- Cancels a job. Returns cancelled, requested (it runs, and is asked to stop), already_ended, or not_found.
CREATE FUNCTION ${schema}.cancel(job bigint) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    state text;
    idle boolean;
BEGIN
    FOR look IN 1 .. 10 LOOP
        -- Not before it is missing: made here, a partition is nobody else's until this transaction ends.
        BEGIN
            idle := ${schema}.cancel_idle(job);
        EXCEPTION WHEN check_violation THEN
            PERFORM ${schema}.ensure_done_partitions(1);
            idle := ${schema}.cancel_idle(job);
        END;
        IF idle THEN
            INSERT INTO ${schema}.audit (at, who, action, subject, jobs)
            VALUES (statement_timestamp(), session_user, 'cancel', 'job ' || job, 1);
            RETURN 'cancelled';
        END IF;
        UPDATE ${schema}.running SET cancel_requested = true WHERE id = job;
        IF FOUND THEN
            INSERT INTO ${schema}.audit (at, who, action, subject, detail, jobs)
            VALUES (statement_timestamp(), session_user, 'cancel', 'job ' || job, 'asked to stop', 1);
            PERFORM ${schema}.send_wakeup('a|');
            RETURN 'requested';
        END IF;
        state := ${schema}.job_state(job);
        IF state IS NULL THEN
            RETURN 'not_found';
        ELSIF state NOT IN ('waiting', 'ready', 'running') THEN
            RETURN 'already_ended';
        END IF;
    END LOOP;
    RAISE EXCEPTION 'job % changed rooms 10 times while it was to be cancelled: try again', job USING ERRCODE = 'serialization_failure';
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.require_name(text, text), ${schema}.require_headers(json), ${schema}.send_wakeup(text), ${schema}.send_key_wakeup(text, text),
    ${schema}.place_job(bigint, text, json, text, int, interval, timestamptz, int, interval, json), ${schema}.unmoved(bigint), ${schema}.new_job_id(),
    ${schema}.enqueue(text, json, text, int, interval, timestamptz, int, interval, json),
    ${schema}.enqueue_unique(text, json, text, interval, text, int, interval, timestamptz, int, interval, json),
    ${schema}.enqueue_with_key(text, json, text, text, int, interval, timestamptz, int, interval, json),
    ${schema}.enqueue_unique_with_key(text, json, text, text, interval, text, int, interval, timestamptz, int, interval, json),
    ${schema}.job_state(bigint), ${schema}.cancel_idle(bigint), ${schema}.cancel(bigint) FROM PUBLIC;
