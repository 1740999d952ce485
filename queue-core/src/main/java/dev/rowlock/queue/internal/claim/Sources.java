package dev.rowlock.queue.internal.claim;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Where a queue's next jobs come from: those without keys, and those with keys. Both get their turn, and neither costs a look where it has
 * brought nothing and nothing was heard of it. Used by one thread at a time, but for {@link #heard}.
 */
final class Sources {

    private final KeyedClaims keyed;
    private final Duration pollInterval;
    private volatile boolean heard = true; // of jobs without keys, since the last look for them
    private long lookedAt = System.nanoTime(); // for jobs without keys
    private boolean keyedFirst;

    Sources(KeyedClaims keyed, Duration pollInterval) {
        this.keyed = keyed;
        this.pollInterval = pollInterval;
    }

    /** There may be jobs without keys. Any thread. */
    void heard() {
        heard = true;
    }

    /**
     * Looks at one or at both. Returns how long to wait before the next look.
     *
     * @param plain claims jobs without keys
     * @param withKeys claims the others
     * @param noPlain whether the last claim of jobs without keys found none
     */
    Duration next(Supplier<Duration> plain, Supplier<Duration> withKeys, BooleanSupplier noPlain) {
        if (!keyed.active()) {
            Duration rest = look(plain);
            return Rests.shorter(rest, keyed.due() ? withKeys.get() : keyed.untilDue());
        }
        if (!heard && noPlain.getAsBoolean() && System.nanoTime() - lookedAt < pollInterval.toNanos()) {
            return withKeys.get();
        }
        keyedFirst = !keyedFirst;
        return keyedFirst ? Rests.shorter(withKeys.get(), look(plain)) : Rests.shorter(look(plain), withKeys.get());
    }

    private Duration look(Supplier<Duration> plain) {
        heard = false; // first: what is heard from now on may be too late for this look
        lookedAt = System.nanoTime();
        return plain.get();
    }
}
