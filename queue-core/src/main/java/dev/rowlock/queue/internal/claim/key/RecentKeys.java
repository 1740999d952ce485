package dev.rowlock.queue.internal.claim.key;

import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.LearnedKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The keys of one queue that have brought jobs in each of the last rounds, so that they will most likely bring some again. To ask them alone spares
 * the server the walk from key to key, which is a third of what a claim of ten thousand keys costs.
 *
 * <p>Others must not wait for long. So a round of recent keys comes only where nearly all keys of the round before are such. Once there is word of jobs with keys, the
 * next round looks for all, or the one after it while there is more to do than this node can. What nobody has told of is found as by any poll.
 *
 * <p>Used by one thread at a time.
 */
public final class RecentKeys {

    /** So many keys are remembered, at most; where there are more, each round looks for all. */
    static final int MOST = 20_000;

    /** Jobs of a key came in so many rounds in a row before it is asked alone. */
    private static final int ROUNDS = 2;

    private static final double NEARLY_ALL = 0.9;

    private static final Duration LONGEST = Duration.ofSeconds(1);

    /**
     * @param round the last one that brought jobs of it
     * @param rounds how many in a row
     */
    private record Recent(long round, int rounds) {}

    private final TreeMap<String, Recent> keys = new TreeMap<>(KeyMemory.BY_CHARACTERS);
    private final long apart;
    private long round;
    private boolean alone; // whether this round asks recent keys alone
    private boolean full; // whether a claim of it brought as many jobs as it could
    private long lookedAt; // when the last round that looks for all keys began

    /** @param pollInterval so long after a round that looks for all keys has begun, claims look for all, or after a second */
    public RecentKeys(Duration pollInterval) {
        apart = Math.min(pollInterval.toNanos(), LONGEST.toNanos());
    }

    /**
     * A round begins. Returns whether it asks recent keys alone.
     *
     * @param heardAt when there was last word of jobs with keys, monotonic; 0: never
     */
    public boolean begin(long heardAt, long now) {
        boolean heard = heardAt != 0 && heardAt - lookedAt >= 0;
        boolean may = now - lookedAt < apart && (!heard || full && !alone);
        keys.values().removeIf(key -> key.round() < round);
        round++;
        alone = may && mostAreRecent();
        full = false;
        if (!alone) {
            lookedAt = now;
        }
        return alone;
    }

    /** Whether a claim asks recent keys alone. */
    public boolean alone(long now) {
        alone &= now - lookedAt < apart;
        return alone;
    }

    private boolean mostAreRecent() {
        long recent = keys.values().stream().filter(this::isRecent).count();
        return recent > 0 && recent >= NEARLY_ALL * keys.size();
    }

    private boolean isRecent(Recent key) {
        return key.rounds() >= ROUNDS && key.round() == round - 1;
    }

    /** Those behind the turn's key, in their order, and one more than asked for if there are more. */
    public List<String> behind(Turn turn, int most) {
        List<String> behind = new ArrayList<>();
        for (var key : keys.tailMap(turn.key(), false).entrySet()) {
            if (behind.size() > most) {
                break;
            }
            if (isRecent(key.getValue())) {
                behind.add(key.getKey());
            }
        }
        return behind;
    }

    /** The same as below: a limit may have kept it from more jobs of keys of which some were running. */
    public void brought(LearnedKeys learned, boolean asManyAsItCould) {
        brought(learned.claimed().keySet(), learned.lowest().keySet(), asManyAsItCould);
    }

    /**
     * What a claim of this round brought.
     *
     * @param jobsOf jobs of these keys
     * @param running of these some were running, so that a limit may have kept it from others
     * @param asManyAsItCould whether there may be more
     */
    void brought(Collection<String> jobsOf, Collection<String> running, boolean asManyAsItCould) {
        full |= asManyAsItCould;
        jobsOf.forEach(key -> keys.merge(key, new Recent(round, 1), this::again));
        running.forEach(key -> keys.computeIfPresent(key, (same, was) -> again(was, new Recent(round, 1))));
        if (keys.size() > MOST) {
            keys.clear();
        }
    }

    private Recent again(Recent was, Recent now) {
        return was.round() == round ? was : was.round() == round - 1 ? new Recent(round, was.rounds() + 1) : now;
    }
}
