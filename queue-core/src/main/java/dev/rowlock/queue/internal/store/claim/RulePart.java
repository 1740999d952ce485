package dev.rowlock.queue.internal.store.claim;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a queue's rule may say that makes claims look at more. Each part costs a claim that is ready for it some ten microseconds, whether the rule
 * has it or not: so the statements of {@link ClaimKeyedJobs} have only those that the rule had when it was last seen. They say so if it has others by now.
 */
enum RulePart {
    /** Something limits the queue as a whole. */
    OF_QUEUE("of_queue"),
    /** Its keys have a rate. */
    KEY_RATE("key_rate_jobs IS NOT NULL"),
    /** Its keys are in order. */
    IN_ORDER("in_order IS NOT NULL"),
    /** Its keys may borrow places. */
    BURST("burst_per_key > max_running_per_key"),
    /** It is so young that jobs may be running that were claimed before it. */
    FRESH(RulePart.YOUNG),
    /** Some keys have a weight. */
    WEIGHTS("EXISTS (SELECT FROM rowlock.key_weight w WHERE w.queue = :queue)");

    // The transaction that set it may have stayed open for longer than that. Then whoever knew another rule, or none,
    // sees it for the first time.
    static final String YOUNG = "(changed_at > statement_timestamp() - interval '1 min'"
            + " OR :rule::bigint >= 0 AND (extract(epoch FROM changed_at) * 1000000)::bigint <> :rule::bigint)";

    /** All parts. */
    static final Set<RulePart> ALL = EnumSet.allOf(RulePart.class);

    private final String condition;

    RulePart(String condition) {
        this.condition = condition;
    }

    /** In SQL, as a number with a bit for each: those that a row of {@code queue_limit} has. */
    static String ofRule() {
        return Arrays.stream(values())
                .filter(part -> part != WEIGHTS)
                .map(RulePart::term)
                .collect(Collectors.joining(" + "));
    }

    /** In SQL: its bit if it is there, otherwise 0. */
    String term() {
        return "CASE WHEN " + condition + " THEN " + bit() + " ELSE 0 END";
    }

    static int bits(Set<RulePart> parts) {
        return parts.stream().mapToInt(RulePart::bit).sum();
    }

    static Set<RulePart> of(int bits) {
        return Arrays.stream(values())
                .filter(part -> (bits & part.bit()) != 0)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(RulePart.class)));
    }

    private int bit() {
        return 1 << ordinal();
    }
}
