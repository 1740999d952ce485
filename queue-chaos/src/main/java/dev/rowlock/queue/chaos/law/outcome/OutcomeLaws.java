package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.law.Law;
import java.util.List;

/** All laws of this package. */
public final class OutcomeLaws {

    public static final List<Law> ALL = List.of(
            new OutcomesOfOwners(),
            new EffectsOnce(),
            new ExactAttempts(),
            new SuccessIsNotDead(),
            new EarnedAttempts(),
            new NoMoreRetries(),
            new OutcomesAreRecorded());

    private OutcomeLaws() {}
}
