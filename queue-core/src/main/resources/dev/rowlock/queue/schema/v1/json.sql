-- Pure functions of a job's JSON: its errors, its headers, its payload. Texts with a backslash are E'...': others mean something else where
-- standard_conforming_strings is off, also when a function runs. Patterns are under COLLATE "C", or letters would be others in each database.

-- A job's error history with one more entry; the oldest go first once there are 20.
CREATE FUNCTION ${schema}.with_error(errors jsonb, attempt smallint, node_id bigint, error jsonb) RETURNS jsonb
    LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN jsonb_array_length(coalesce(errors, '[]')) >= 20 THEN errors - 0 ELSE coalesce(errors, '[]') END
           || jsonb_build_array(error || jsonb_build_object('attempt', attempt, 'node', node_id, 'at', statement_timestamp()))
$$;

-- JSON text without the escapes that jsonb and text refuse: NUL and halves of surrogate pairs become U+FFFD.
CREATE FUNCTION ${schema}.storable(document text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(document COLLATE "C",
        E'(?<=(^|[^\\\\])(\\\\\\\\)*)(\\\\u0000|\\\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB][0-9a-fA-F]{2})\\\\u[dD][c-fC-F][0-9a-fA-F]{2})',
        E'\\\\ufffd', 'g')
$$;

-- The value of a header; null if the job has none.
CREATE FUNCTION ${schema}.header(headers json, key text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN headers::text COLLATE "C" ~ E'\\\\u(0000|[dD][89a-fA-F])' THEN ${schema}.storable(headers::text)::json ELSE headers END ->> key
$$;

-- Whether a payload meets a jsonpath: a condition must be true, a path must find something. A payload that is no jsonb, because a
-- number in it is too large, meets none. The cost is that of a search's dearest condition, so it comes last.
CREATE FUNCTION ${schema}.payload_matches(payload json, path jsonpath) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE COST 10000 AS $$
DECLARE
    document jsonb;
BEGIN
    IF starts_with(payload::text, '{"$enc"') THEN
        RETURN false; -- encrypted: also what it does not have is not known
    END IF;
    BEGIN
        document := payload::jsonb;
    EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
        BEGIN
            document := ${schema}.storable(payload::text)::jsonb;
        EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
            RETURN false;
        END;
    END;
    -- Only a condition says something of everything, and be it null.
    IF jsonb_typeof(jsonb_path_query_first('{}', path, '{}', true)) IN ('boolean', 'null') THEN
        RETURN coalesce(jsonb_path_match(document, path, '{}', true), false);
    END IF;
    RETURN jsonb_path_exists(document, path, '{}', true);
END
$$;

-- A text without what differs from case to case: quoted parts become '?', numbers and ids become #.
CREATE FUNCTION ${schema}.without_values(message text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(regexp_replace(regexp_replace(left(message, 2000) COLLATE "C",
        E'(?<!\\w)''[^'']*''(?!\\w)|"[^"]*"|`[^`]*`|\u00AB[^\u00BB]*\u00BB|\u201C[^\u201D]*\u201D', '''?''', 'g'),
        E'\\y[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\y|(0x|@)[0-9a-f]+\\y|\\y(?=[a-f]*[0-9])[0-9a-f]{8,}\\y|[0-9]+([.,:/-][0-9]+)*', '#', 'gi'), 500)
$$;

-- The method that threw it: the first of its stack trace. Null without one.
CREATE FUNCTION ${schema}.thrown_by(error jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring((error ->> 'trace') COLLATE "C" FROM E'\\n\\s*at ([^(\\n]+)')
$$;

-- What tells one kind of error from another: its type, its message without values, and the method that threw it.
CREATE FUNCTION ${schema}.error_fingerprint(error jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(encode(sha256(replace(coalesce(error ->> 'type', '')
               || E'\n' || ${schema}.without_values(coalesce(error ->> 'message', ''))
               || E'\n' || ${schema}.without_values(coalesce(${schema}.thrown_by(error), '')),
           E'\\', E'\\\\')::bytea), 'hex'), 16)
$$;
