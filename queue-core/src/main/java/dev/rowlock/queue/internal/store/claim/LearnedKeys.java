package dev.rowlock.queue.internal.store.claim;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one claim has learned of keys.
 *
 * @param rule the version of the queue's rule; null: there is none, it is so young that tokens under it say nothing yet, or the claim could not
 *     tell what ran before
 * @param seen the version whatever its age; null: there is none
 * @param inOrder whether the jobs of a key run one after the other: those that come back go first, so they must be looked for
 * @param claimed what was claimed of each key
 * @param lowest the lowest token of each key's jobs that were running before; a key of which none ran is not in it
 * @param lowestOfQueue the same of all that count against the queue's limit; null: none did, or there is no such limit
 */
public record LearnedKeys(
        @Nullable Long rule,
        @Nullable Long seen,
        boolean inOrder,
        Map<String, Claimed> claimed,
        Map<String, Long> lowest,
        @Nullable Long lowestOfQueue) {

    /**
     * What was claimed of a key.
     *
     * @param rank the most urgent, and so the lowest
     * @param id the last of those of this rank
     * @param token the lowest
     */
    public record Claimed(int jobs, int rank, long id, long token) {

        Claimed and(int otherRank, long otherId, long otherToken) {
            boolean last = otherRank < rank || otherRank == rank && otherId > id;
            return new Claimed(jobs + 1, last ? otherRank : rank, last ? otherId : id, Math.min(token, otherToken));
        }
    }
}
