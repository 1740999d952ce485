-- Claims jobs with keys, and in a queue that is limited as a whole all others too, as far as limits, rates and the order of the queue and of its keys
-- allow. Where a later release claims in another way, that gets the next number, and nodes of this release keep theirs.
--
-- Each statement in here has a snapshot of its own, as READ COMMITTED gives it: what runs is counted after the locks were taken, so no two claims fill
-- the same place. No counter is kept, so none can be wrong.
--
-- Its statements are planned once for a connection, often while the rooms are empty, and must serve full ones: the settings leave them no plan but
-- index scans, and their joins are lateral looks, which are nested loops whatever the settings are. To the planner all indexes of an empty room cost the
-- same; that one brings the rows of one key in their order it knows neither from an equals sign, which fixes a column, nor in an EXISTS, unless the look
-- says BETWEEN, ORDER BY and OFFSET 0.
--
-- To begin a statement costs about as much as it takes to find one job: each runs only where it has something to find, and what is not of keys is asked at once.
--
-- The first row is about the claim as a whole, in told, which is listed where it is made. All others are jobs.
CREATE FUNCTION ${schema}.claim_keyed_v1(
    p_queue text, p_node bigint, p_jobs bigint, p_timeouts jsonb, p_longest_wait bigint, p_largest int,
    -- Which keys. The rest of a turn: so many more jobs of the key behind which the claim looks. Share: each key gets no more than if there were so many.
    p_walk int, p_after text, p_rest int, p_share int, p_keys text[], p_ranks int[], p_ids bigint[], p_more boolean,
    -- Nothing of a key, or of the queue, with a lower token runs; under any other version of the rule that says nothing.
    p_rule bigint, p_tokens bigint[], p_token bigint, p_recount boolean,
    p_turns int, p_plain_first boolean, p_borrows boolean,
    -- Which jobs; p_only null: all others. p_names: says which it would claim, and claims none.
    p_without_types text[], p_without bigint[], p_only bigint[], p_names boolean)
    RETURNS TABLE (id bigint, token bigint, ready_at double precision, rank smallint, attempt smallint, crashes smallint, type text,
                   enqueued_at double precision, max_retries smallint, timeout_millis bigint, deadline timestamptz, payload json, headers json,
                   job_key text, told text[])
    LANGUAGE plpgsql VOLATILE
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    gate_lock CONSTANT text := 'rowlock gate ' || trim('"' FROM '${schema}') || ' ' || p_queue || ' ';
    most_keys CONSTANT int := least(1000, greatest(20, current_setting('max_locks_per_transaction')::bigint
        * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int) / 16));
    any_job CONSTANT boolean := cardinality(p_without_types) = 0 AND cardinality(p_without) = 0 AND p_only IS NULL;
    rule record;               -- of the queue, with its version; null: there is none
    fresh boolean;             -- jobs may be running that were claimed before it
    recounts boolean;          -- looks for these
    in_turn boolean := true;
    tokens bigint[];           -- as given, if they say something
    keys text[];               -- to look at; then those that are locked
    places int[];              -- of each in p_keys
    weights int[];             -- of each, as those below
    rooms bigint[];
    permits bigint[];          -- how many jobs its rate allows
    rates double precision[];  -- how far that is used up
    running text[];            -- keys of which jobs run
    lowest text[];             -- the lowest token of each of these
    to_cancel text[];          -- keys with jobs that are to be cancelled
    reached text;              -- the last key that was looked at
    ended boolean := true;     -- there are none behind it
    busy bigint := 0;          -- keys that somebody else is filling
    until_rate double precision; -- seconds until a rate allows a job
    clock double precision;
    wanted bigint;
    share bigint;
    most int;                  -- jobs of a key at once
    queue_rate ${schema}.rate_state;
    queue_lowest bigint;       -- the lowest token of those that count against its limit
    plain tid[] := '{}';       -- jobs without keys
    rows tid[] := '{}';        -- and with
    owners int[] := '{}';      -- the place in keys of each one's key
    last int;                  -- the last of these
    next_key text := p_after;  -- the next claim goes on behind this one
    next_rest bigint := p_rest; -- and has so many more jobs of it
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'jobs with keys can only be claimed in a transaction that is read committed';
    END IF;
    -- A node that was declared dead claims nothing. The transaction that set the rule may have stayed open for long: whoever knew another one, or none, sees
    -- it for the first time, and jobs may be running that were claimed before it.
    SELECT l.*, (date_part('epoch', l.changed_at) * 1000000)::bigint AS version,
           coalesce(l.changed_at > statement_timestamp() - interval '1 min', false) AS young,
           CASE WHEN EXISTS (SELECT FROM ${schema}.node n WHERE n.id = p_node) THEN p_jobs ELSE 0 END AS jobs,
           EXISTS (SELECT FROM ${schema}.key_weight w WHERE w.queue = p_queue) AS weighted
      INTO rule FROM (SELECT) AS one LEFT JOIN ${schema}.queue_limit l ON l.queue = p_queue;
    wanted := rule.jobs;
    fresh := rule.young OR p_rule >= 0 AND rule.version <> p_rule;
    recounts := fresh AND (rule.version IS DISTINCT FROM p_rule OR p_recount);

    -- Few claim at the same time: one where something limits the queue as a whole; others would only find keys that those have locked. One at a time
    -- looks for jobs from before the rule: it passes over those that are locked, so a second one would count none that the first one has found. All
    -- claims of many keys share half of the server's table of locks: the more keys each locks, the fewer there are.
    IF rule.of_queue OR recounts THEN
        in_turn := pg_try_advisory_xact_lock(hashtextextended(gate_lock, 0));
    ELSIF rule.of_keys THEN
        in_turn := false;
        FOR turn IN 1 .. p_turns LOOP
            in_turn := pg_try_advisory_xact_lock(hashtextextended(gate_lock, turn));
            EXIT WHEN in_turn;
        END LOOP;
    END IF;
    IF in_turn AND rule.of_keys AND greatest(p_walk, cardinality(p_keys)) > 20 THEN
        in_turn := EXISTS (SELECT FROM generate_series(8 * greatest(1, most_keys / greatest(p_walk, cardinality(p_keys))), 1, -1) AS s (n)
                            WHERE pg_try_advisory_xact_lock(hashtextextended('rowlock keys ' || trim('"' FROM '${schema}'), n)));
    END IF;

    IF in_turn AND recounts THEN
        -- Jobs that were claimed before the rule. Those whose claims were under way then commit soon. No index has them: all that runs is read. A handler's open transaction
        -- that has saved a checkpoint shares the row.
        UPDATE ${schema}.running SET gate = coalesce(job_key, '')
         WHERE ctid = ANY (ARRAY(SELECT r.ctid FROM ${schema}.running r WHERE r.queue = p_queue AND r.gate IS NULL FOR NO KEY UPDATE SKIP LOCKED));
    END IF;

    -- Which keys: those of the jobs that are asked for by name, a walk from one to the next, or those that are given.
    IF in_turn AND p_only IS NOT NULL THEN
        keys := ARRAY(SELECT k.job_key
                        FROM (SELECT r.job_key FROM ${schema}.ready r
                               WHERE r.id = ANY (p_only) AND r.queue = p_queue AND r.job_key IS NOT NULL ORDER BY r.id LIMIT greatest(p_walk, 1)) AS k
                       GROUP BY k.job_key ORDER BY k.job_key);
        reached := keys[cardinality(keys)];
    ELSIF in_turn AND p_walk > 0 THEN
        keys := ARRAY(WITH RECURSIVE walk AS (
                SELECT p_after COLLATE "C" AS job_key, 0 AS n
                 UNION ALL
                SELECT (SELECT r.job_key FROM ${schema}.ready r WHERE r.queue = p_queue AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1), w.n + 1
                  FROM walk w WHERE w.job_key IS NOT NULL AND w.n < p_walk)
            SELECT w.job_key FROM walk w WHERE w.n > 0 AND w.job_key IS NOT NULL);
        ended := cardinality(keys) < p_walk;
        reached := keys[cardinality(keys)];
        IF p_rest > 0 THEN
            keys := p_after || keys;
        END IF;
    ELSIF in_turn THEN
        keys := p_keys;
        ended := NOT p_more;
        reached := keys[cardinality(keys)];
    END IF;

    -- Locks them. Their names go from here to where their jobs are counted: none is locked twice.
    IF in_turn AND rule.of_keys THEN
        SELECT coalesce(array_agg(k.job_key) FILTER (WHERE k.got), '{}'), array_agg(k.n::int) FILTER (WHERE k.got), count(*) FILTER (WHERE NOT k.got)
          INTO keys, places, busy
          FROM (SELECT u.job_key, u.n, pg_try_advisory_xact_lock(hashtextextended(gate_lock || u.job_key, 0)) AS got
                  FROM unnest(keys) WITH ORDINALITY AS u (job_key, n) OFFSET 0) AS k;
    END IF;
    clock := date_part('epoch', clock_timestamp());

    -- How many jobs in all.
    IF NOT in_turn THEN
        wanted := 0;
    END IF;
    IF wanted > 0 AND rule.max_running IS NOT NULL THEN
        SELECT least(wanted, rule.max_running - count(*)), min(r.token) INTO wanted, queue_lowest
          FROM ${schema}.running r
         WHERE r.queue = p_queue AND r.gate IS NOT NULL AND r.token >= CASE WHEN rule.version = p_rule THEN p_token ELSE 0 END;
    END IF;
    IF rule.rate_jobs IS NOT NULL AND in_turn THEN
        SELECT * INTO queue_rate FROM ${schema}.rate_state s WHERE s.queue = p_queue AND s.gate = '' ORDER BY s.queue, s.gate, s.number DESC LIMIT 1;
        until_rate := ${schema}.rate_wait(rule.rate_jobs, rule.rate_millis, rule.rate_burst, queue_rate.next_at, queue_rate.held_until, clock);
        wanted := least(wanted, ${schema}.rate_permits(rule.rate_jobs, rule.rate_millis, rule.rate_burst, queue_rate.next_at, queue_rate.held_until, clock));
    END IF;
    wanted := greatest(0, wanted);

    -- Jobs without keys, where they come first, or no key is there to come before them.
    IF wanted > 0 AND rule.of_queue AND p_only IS NOT NULL THEN
        plain := ARRAY(SELECT r.ctid FROM ${schema}.ready r
              WHERE r.id = ANY (p_only) AND r.queue = p_queue AND r.job_key IS NULL AND r.type <> ALL (p_without_types)
              ORDER BY r.id LIMIT wanted FOR UPDATE SKIP LOCKED);
    ELSIF wanted > 0 AND rule.of_queue AND (p_plain_first OR cardinality(keys) = 0) THEN
        plain := ARRAY(SELECT r.ctid FROM ${schema}.ready r
              WHERE r.queue = p_queue AND r.job_key IS NULL AND (any_job OR r.type <> ALL (p_without_types) AND r.id <> ALL (p_without))
              ORDER BY r.queue, r.rank, r.ready_at, r.id LIMIT wanted FOR UPDATE SKIP LOCKED);
    END IF;

    -- How many of each key: its share, by its weight, as far as there is room beside what runs of it, and its rate allows.
    IF wanted > 0 AND cardinality(keys) > 0 THEN
        IF rule.weighted THEN
            weights := ARRAY(SELECT coalesce((SELECT w.weight FROM ${schema}.key_weight w WHERE w.queue = p_queue AND w.job_key = u.job_key), 1)
                               FROM unnest(keys) AS u (job_key));
            share := (SELECT sum(u.w) FROM unnest(weights) AS u (w));
        END IF;
        share := greatest(1, wanted / greatest(p_share, share, cardinality(keys)));
        most := CASE WHEN rule.in_order IS NOT NULL THEN 1
                     WHEN p_borrows THEN greatest(rule.max_running_per_key, rule.burst_per_key)
                     ELSE rule.max_running_per_key END;
        IF rule.key_rate_jobs IS NOT NULL THEN
            SELECT array_agg(coalesce(s.permits, rule.key_rate_burst)), array_agg(s.next_at),
                   CASE WHEN until_rate > 0 THEN until_rate ELSE min(s.wait) FILTER (WHERE s.wait > 0) END
              INTO permits, rates, until_rate
              FROM unnest(keys) AS k (job_key)
              LEFT JOIN LATERAL (
                    SELECT s.next_at, ${schema}.rate_wait(rule.key_rate_jobs, rule.key_rate_millis, rule.key_rate_burst, s.next_at, s.held_until, clock) AS wait,
                           ${schema}.rate_permits(rule.key_rate_jobs, rule.key_rate_millis, rule.key_rate_burst, s.next_at, s.held_until, clock) AS permits
                      FROM ${schema}.rate_state s WHERE s.queue = p_queue AND s.gate = k.job_key
                     ORDER BY s.queue, s.gate, s.number DESC LIMIT 1) AS s ON true;
        END IF;
        IF rule.of_keys OR rule.weighted OR p_rest > 0 THEN
            tokens := CASE WHEN rule.version = p_rule THEN p_tokens END;
            SELECT array_agg(least(CASE WHEN p_rest > 0 AND k.job_key = p_after THEN p_rest ELSE share * coalesce(weights[k.n::int], 1) END,
                                   most - r.jobs, permits[k.n::int])),
                   array_agg(k.job_key) FILTER (WHERE r.lowest IS NOT NULL), array_agg(r.lowest::text) FILTER (WHERE r.lowest IS NOT NULL)
              INTO rooms, running, lowest
              FROM unnest(keys) WITH ORDINALITY AS k (job_key, n)
             CROSS JOIN LATERAL (SELECT count(*) AS jobs, min(r.token) AS lowest FROM ${schema}.running r
                    WHERE most IS NOT NULL AND r.queue = p_queue AND r.gate = k.job_key AND r.token >= coalesce(tokens[places[k.n::int]], 0)) AS r;
        ELSE
            rooms := array_fill(share, ARRAY[cardinality(keys)]);
        END IF;
    END IF;

    -- The first of each key. In order, a job that was tried or has crashed stands before all others, one that waits to be tried again holds up its key, and so may one
    -- that has failed. A dead job that was skipped has 0 as last_job. There the first is chosen before it is locked: if somebody else holds it, no other goes in its place.
    IF wanted > 0 AND cardinality(keys) > 0 AND rule.in_order IS NULL THEN
        SELECT coalesce(array_agg(h.place), '{}'), coalesce(array_agg(h.n), '{}') INTO rows, owners
          FROM (SELECT f.place, k.n::int FROM unnest(keys, rooms, places) WITH ORDINALITY AS k (job_key, room, known, n)
                 CROSS JOIN LATERAL (SELECT r.ctid AS place FROM ${schema}.ready r
                        WHERE r.queue = p_queue AND r.job_key = k.job_key
                          AND (r.rank, r.id) > (coalesce(p_ranks[coalesce(k.known, k.n::int)], -32768), coalesce(p_ids[coalesce(k.known, k.n::int)], 0))
                          AND (any_job OR r.type <> ALL (p_without_types) AND r.id <> ALL (p_without) AND (p_only IS NULL OR r.id = ANY (p_only)))
                        ORDER BY r.queue, r.job_key, r.rank, r.id LIMIT greatest(0, k.room) FOR UPDATE SKIP LOCKED) AS f
                 LIMIT wanted - cardinality(plain)) AS h;
    ELSIF wanted > 0 AND cardinality(keys) > 0 THEN
        SELECT coalesce(array_agg(h.place), '{}'), coalesce(array_agg(h.n), '{}') INTO rows, owners
          FROM (SELECT f.place, k.n::int FROM unnest(keys, rooms) WITH ORDINALITY AS k (job_key, room, n)
                 CROSS JOIN LATERAL (SELECT r.ctid AS place FROM ${schema}.ready r
                        WHERE k.room > 0
                          AND r.ctid = coalesce(
                              (SELECT b.ctid FROM ${schema}.ready b
                                WHERE b.queue = p_queue AND b.job_key BETWEEN k.job_key AND k.job_key AND (b.attempt > 0 OR b.crashes > 0)
                                ORDER BY b.queue, b.job_key, b.id LIMIT 1),
                              (SELECT b.ctid FROM ${schema}.ready b WHERE b.queue = p_queue AND b.job_key = k.job_key
                                ORDER BY b.queue, b.job_key, b.rank, b.id LIMIT 1))
                          AND (any_job OR r.type <> ALL (p_without_types) AND r.id <> ALL (p_without) AND (p_only IS NULL OR r.id = ANY (p_only)))
                          AND NOT EXISTS (SELECT FROM ${schema}.waiting w
                                           WHERE w.queue = p_queue AND w.job_key BETWEEN k.job_key AND k.job_key
                                             AND w.reason IN ('retry', 'snooze', 'unknown-type', 'not-started', 'crash', 'redrive')
                                           ORDER BY w.queue, w.job_key OFFSET 0)
                          AND NOT EXISTS (SELECT FROM ${schema}.dead d
                                           WHERE d.queue = p_queue AND d.job_key BETWEEN k.job_key AND k.job_key
                                             AND d.last_job >= CASE rule.in_order
                                                 WHEN 'hold' THEN 1
                                                 WHEN 'cancel-rest' THEN CASE WHEN r.attempt = 0 AND r.crashes = 0 AND r.errors IS NULL THEN r.id END END
                                           ORDER BY d.queue, d.job_key OFFSET 0)
                        FOR UPDATE SKIP LOCKED) AS f
                 LIMIT wanted - cardinality(plain)) AS h;
        IF rule.in_order = 'cancel-rest' THEN
            to_cancel := ARRAY(SELECT k.job_key FROM unnest(keys) AS k (job_key)
                WHERE EXISTS (SELECT FROM ${schema}.dead d
                               WHERE d.queue = p_queue AND d.job_key BETWEEN k.job_key AND k.job_key
                                 AND d.last_job >= (SELECT CASE WHEN f.attempt = 0 AND f.crashes = 0 AND f.errors IS NULL THEN f.id END
                                                      FROM ${schema}.ready f WHERE f.queue = p_queue AND f.job_key = k.job_key
                                                     ORDER BY f.queue, f.job_key, f.rank, f.id LIMIT 1)
                               ORDER BY d.queue, d.job_key OFFSET 0));
        END IF;
    END IF;

    -- Where the next claim goes on: with what is left of the turn of the last key that got a job; keys behind it got nothing.
    last := owners[cardinality(owners)];
    IF cardinality(rows) + cardinality(plain) < wanted THEN
        next_key := CASE WHEN NOT ended THEN reached END;
        next_rest := 0;
    ELSIF last IS NOT NULL THEN
        next_rest := greatest(0, CASE WHEN p_rest > 0 AND keys[last] = p_after THEN p_rest ELSE coalesce(weights[last], 1) END
                                 - cardinality(array_positions(owners, last)));
        next_key := CASE WHEN NOT ended OR next_rest > 0 OR keys[last] <> reached THEN keys[last] END;
    END IF;
    -- What it tells: whether it was in turn, how many jobs there was room for, the key behind which the next claim looks and how many more jobs of that one; whether it has
    -- looked at keys, how many of them somebody else is filling, in how many seconds a rate allows a job; whether the queue is limited as a whole, whether keys may borrow places,
    -- whether they have a rate; the version of the rule, whether that is fresh; the lowest token of the queue, how many keys a claim may look at, the time; how many keys have
    -- jobs to cancel, then these, then the keys of which jobs run, and the lowest token of each.
    told := ARRAY[in_turn::text, wanted::text, next_key, next_rest::text, (cardinality(keys) > 0)::text, busy::text, until_rate::text, rule.of_queue::text,
                  (rule.burst_per_key > rule.max_running_per_key AND wanted > 0)::text, (rule.key_rate_jobs IS NOT NULL)::text, rule.version::text, fresh::text,
                  queue_lowest::text, most_keys::text, date_part('epoch', statement_timestamp())::text, coalesce(cardinality(to_cancel), 0)::text]
            || to_cancel || running || lowest;
    RETURN NEXT;
    told := NULL;

    rows := plain || rows;
    IF cardinality(rows) = 0 THEN
        RETURN;
    ELSIF p_names THEN
        FOR id IN SELECT r.id FROM ${schema}.ready r WHERE r.ctid = ANY (rows) LOOP
            RETURN NEXT;
        END LOOP;
        RETURN;
    END IF;

    -- What is used up of rates.
    IF rule.rate_jobs IS NOT NULL THEN
        INSERT INTO ${schema}.rate_state (queue, gate, number, next_at)
        VALUES (p_queue, '', nextval('${schema}.claim_token'),
                ${schema}.rate_next(rule.rate_jobs, rule.rate_millis, rule.rate_burst, queue_rate.next_at, clock, cardinality(rows)));
    END IF;
    IF rule.key_rate_jobs IS NOT NULL THEN
        INSERT INTO ${schema}.rate_state (queue, gate, number, next_at)
        SELECT p_queue, k.job_key, nextval('${schema}.claim_token'),
               ${schema}.rate_next(rule.key_rate_jobs, rule.key_rate_millis, rule.key_rate_burst, rates[k.n], clock, k.jobs)
          FROM (SELECT keys[u.n] AS job_key, u.n, count(*) AS jobs FROM unnest(owners) AS u (n) GROUP BY u.n) AS k;
    END IF;

    RETURN QUERY
    WITH claimed AS (DELETE FROM ${schema}.ready WHERE ctid = ANY (rows) RETURNING *)
    INSERT INTO ${schema}.running AS i (id, token, node_id, ready_at, enqueued_at, claimed_at, deadline, timeout_millis,
                                        rank, attempt, crashes, max_retries, queue, type, payload, headers, errors, job_key, gate)
    SELECT c.id, nextval('${schema}.claim_token'), p_node, c.ready_at, c.enqueued_at, statement_timestamp(),
           statement_timestamp() + (coalesce(c.timeout_millis, (p_timeouts ->> c.type)::bigint) + p_longest_wait) * interval '1 ms',
           c.timeout_millis, c.rank, c.attempt + 1, c.crashes, c.max_retries, c.queue, c.type, c.payload, c.headers, c.errors,
           c.job_key, CASE WHEN rule.version IS NOT NULL THEN coalesce(c.job_key, '') END
      FROM claimed c
    RETURNING i.id, i.token, date_part('epoch', i.ready_at), nullif(i.rank, 0::smallint), nullif(i.attempt - 1, 0)::smallint, nullif(i.crashes, 0::smallint), i.type,
              CASE WHEN i.enqueued_at <> i.ready_at THEN date_part('epoch', i.enqueued_at) END, i.max_retries, i.timeout_millis, i.deadline,
              CASE WHEN i.payload IS NULL THEN (SELECT p.payload FROM ${schema}.payload p WHERE p.job_id = i.id AND p.bytes <= p_largest)
                   WHEN pg_column_size(i.payload) <= 16384 THEN i.payload END,
              i.headers, i.job_key, NULL::text[];
END
$$;
