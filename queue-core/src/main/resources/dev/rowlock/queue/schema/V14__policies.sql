-- Policies of applications decide which of a queue's ready jobs are claimed next.

SET LOCAL lock_timeout = '50ms';

-- Jobs stay in ready, chosen or not: whatever becomes of a policy, they are where claims look for them.
ALTER TABLE ${schema}.ready ADD COLUMN admitted bigint; -- chosen by a policy: the lowest runs first; null: not chosen
CREATE INDEX ready_admitted ON ${schema}.ready (queue, admitted) WHERE admitted IS NOT NULL;

-- While a policy decides, the queue is claimed as one that is limited as a whole. Its node says again and again that it still decides: a time
-- that has passed lets the jobs go in their normal order, without anybody who must notice.
ALTER TABLE ${schema}.queue_limit
    DROP COLUMN of_queue,
    ADD COLUMN policy_until timestamptz,
    ADD COLUMN policy_by bigint,
    ADD COLUMN policy_asked_at timestamptz;
ALTER TABLE ${schema}.queue_limit
    ADD COLUMN of_queue boolean GENERATED ALWAYS AS (max_running IS NOT NULL OR rate_jobs IS NOT NULL OR policy_until IS NOT NULL) STORED;

COMMENT ON COLUMN ${schema}.ready.admitted IS 'Chosen by the policy of its queue: the lowest runs first. Null: not chosen.';
COMMENT ON COLUMN ${schema}.queue_limit.policy_until IS 'Until then only jobs run that a policy has chosen, unless it says so again; null: the queue has no policy.';
COMMENT ON COLUMN ${schema}.queue_limit.policy_by IS 'The node that asks the policy; null: none.';
COMMENT ON COLUMN ${schema}.queue_limit.policy_asked_at IS 'When a node last tried to ask the policy.';
COMMENT ON COLUMN ${schema}.queue_limit.of_queue IS 'Whether something limits the queue as a whole, or a policy decides.';
