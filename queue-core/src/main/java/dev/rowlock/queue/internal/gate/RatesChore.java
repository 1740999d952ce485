package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.gate.RemoveSpentRates;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Removes state of rates that no longer limits anything, one node for all. */
final class RatesChore implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TakeChore chore;
    private final RemoveSpentRates remove;

    RatesChore(TakeChore chore, RemoveSpentRates remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "rates";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), INTERVAL)) {
            chore.orGiveBack(name(), remove::run);
        }
        return INTERVAL;
    }
}
