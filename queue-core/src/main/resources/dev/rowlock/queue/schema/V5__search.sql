-- What searches need: conditions on headers and payloads that no row can make fail, and dead jobs by what went wrong.

-- JSON text without the escapes that jsonb and text refuse: NUL and halves of surrogate pairs become U+FFFD.
CREATE FUNCTION ${schema}.storable(document text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(document,
        '(?<=(^|[^\\])(\\\\)*)(\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})',
        '\\ufffd', 'g')
$$;

-- The value of a header; null if the job has none.
CREATE FUNCTION ${schema}.header(headers json, key text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN headers::text ~ '\\u(0000|[dD][89a-fA-F])' THEN ${schema}.storable(headers::text)::json ELSE headers END ->> key
$$;

-- Whether a payload meets a jsonpath: a condition must be true, a path must find something. A payload that is no jsonb, because a
-- number in it is too large, meets none. The cost is that of a search's dearest condition, so it comes last.
CREATE FUNCTION ${schema}.payload_matches(payload json, path jsonpath) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE COST 10000 AS $$
DECLARE
    document jsonb;
BEGIN
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
    SELECT left(regexp_replace(regexp_replace(left(message, 2000),
        '(?<!\w)''[^'']*''(?!\w)|"[^"]*"|`[^`]*`|«[^»]*»|“[^”]*”', '''?''', 'g'),
        '\y[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\y|(0x|@)[0-9a-f]+\y|\y(?=[a-f]*[0-9])[0-9a-f]{8,}\y|[0-9]+([.,:/-][0-9]+)*', '#', 'gi'), 500)
$$;

-- The method that threw it: the first of its stack trace. Null without one.
CREATE FUNCTION ${schema}.thrown_by(error jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(error ->> 'trace' FROM '\n\s*at ([^(\n]+)')
$$;

-- What tells one kind of error from another: its type, its message without values, and the method that threw it.
CREATE FUNCTION ${schema}.error_fingerprint(error jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(encode(sha256(replace(coalesce(error ->> 'type', '')
               || E'\n' || ${schema}.without_values(coalesce(error ->> 'message', ''))
               || E'\n' || ${schema}.without_values(coalesce(${schema}.thrown_by(error), '')),
           '\', '\\')::bytea), 'hex'), 16)
$$;

-- Written as a job dies, and never again. This writes the table anew.
ALTER TABLE ${schema}.dead
    ADD COLUMN fingerprint text COLLATE "C" NOT NULL GENERATED ALWAYS AS (${schema}.error_fingerprint(errors -> -1)) STORED;
-- Groups of dead jobs are counted in it alone.
CREATE INDEX dead_by_error ON ${schema}.dead (fingerprint, id) INCLUDE (died_at, queue, type);

COMMENT ON FUNCTION ${schema}.storable(text) IS 'JSON text without escapes that jsonb refuses.';
COMMENT ON FUNCTION ${schema}.header(json, text) IS 'The value of a header; null if there is none.';
COMMENT ON FUNCTION ${schema}.payload_matches(json, jsonpath) IS 'Whether a payload meets a jsonpath: a condition must be true, a path must find something.';
COMMENT ON FUNCTION ${schema}.without_values(text) IS 'A message without quoted parts, numbers and ids.';
COMMENT ON FUNCTION ${schema}.thrown_by(jsonb) IS 'The method that threw an error; null without a stack trace.';
COMMENT ON FUNCTION ${schema}.error_fingerprint(jsonb) IS 'What tells one kind of error from another: 16 hexadecimal digits.';
COMMENT ON COLUMN ${schema}.dead.fingerprint IS 'Fingerprint of its last error: jobs that died of the same kind of error have the same.';
