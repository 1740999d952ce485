package dev.rowlock.queue.benchmark.peer;

import java.util.Set;

/** What holds for the jobs of each key, or of the queue. */
public enum KeyRule {
    NONE(Set.of()),
    /** They take turns with the jobs of other keys, and nothing else. */
    TURNS(Set.of(Ability.FAIR)),
    /** Every second key gets three times as much as the others. */
    WEIGHTS(Set.of(Ability.FAIR)),
    /** Ten run at once, at most. */
    TEN_AT_ONCE(Set.of(Ability.LIMITS)),
    /** Five run at once, and up to ten while places are idle. */
    BURST(Set.of(Ability.BURSTS)),
    /** One runs at once, at most. */
    ONE_AT_ONCE(Set.of(Ability.SERIAL)),
    /** One after the other, in the order of their enqueues. */
    IN_ORDER(Set.of(Ability.ORDER)),
    /** A rate that is never used up: what it costs to look. */
    RATE(Set.of(Ability.RATES)),
    /** The application is asked which jobs come next, and chooses the first ones. */
    POLICY(Set.of(Ability.POLICIES));

    private final Set<Ability> needs;

    KeyRule(Set<Ability> needs) {
        this.needs = needs;
    }

    /** What it asks of a peer. */
    public Set<Ability> needs() {
        return needs;
    }
}
