-- What a role may do that enqueues and cancels by SQL functions and touches no table. Run this as the owner of the tables; again does no harm.
BEGIN;

GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT EXECUTE ON FUNCTION
    ${schema}.enqueue(text, json, text, int, interval, timestamptz, int, interval, json),
    ${schema}.enqueue_with_key(text, json, text, text, int, interval, timestamptz, int, interval, json),
    ${schema}.enqueue_unique(text, json, text, interval, text, int, interval, timestamptz, int, interval, json),
    ${schema}.enqueue_unique_with_key(text, json, text, text, interval, text, int, interval, timestamptz, int, interval, json),
    ${schema}.job_state(bigint), ${schema}.cancel(bigint) TO ${role};

COMMIT;
