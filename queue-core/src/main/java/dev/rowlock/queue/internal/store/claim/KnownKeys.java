package dev.rowlock.queue.internal.store.claim;

import java.util.List;

/**
 * What whoever claims knows of some keys of a queue, so that the server need not walk over what is gone: while some transaction holds back
 * vacuum, a busy key leaves behind an entry for each of its jobs.
 *
 * @param keys in their order, as that of their characters, and behind the turn's key; of keys between them nothing is known
 * @param more whether there are others behind the last of them, so that the claim ends there
 * @param only whether no other key is looked for, in front of them or behind
 * @param token nothing of the queue with a lower token counts against its limits
 * @param rule the version of the rule under which the tokens were learned; under any other they say nothing
 * @param recount whether to look once more for jobs that were claimed before there was such a rule, also if it is this one
 */
public record KnownKeys(List<Known> keys, boolean more, boolean only, long token, long rule, boolean recount) {

    /** The version where a queue is known to have no rule. */
    public static final long NO_RULE = 0;

    /** Nothing. */
    public static final KnownKeys NONE = new KnownKeys(List.of(), false, false, 0, -1, true);

    public KnownKeys {
        keys = List.copyOf(keys);
    }

    /** Whether something is known of any key but its name. */
    boolean saysMore() {
        return keys.stream().anyMatch(key -> !key.equals(Known.fromFront(key.key())));
    }

    int[] ranks() {
        return keys.stream().mapToInt(Known::rank).toArray();
    }

    long[] ids() {
        return keys.stream().mapToLong(Known::id).toArray();
    }

    long[] tokens() {
        return keys.stream().mapToLong(Known::token).toArray();
    }

    /**
     * One key.
     *
     * @param rank with {@code id}: a job; only those behind it are looked for
     * @param token nothing of the key with a lower token runs
     */
    public record Known(String key, int rank, long id, long token) {

        /** A key with whatever it has. */
        public static Known fromFront(String key) {
            return new Known(key, Short.MIN_VALUE, 0, 0);
        }
    }
}
