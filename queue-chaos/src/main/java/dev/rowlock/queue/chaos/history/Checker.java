package dev.rowlock.queue.chaos.history;

import java.util.List;

/** Proves a history, or says what in it must not be. A pure function. */
public final class Checker {

    private static final List<Promise> PROMISES = List.of(
            new NothingLost(),
            new LegalMoves(),
            new GrowingTokens(),
            new OutcomesOfOwners(),
            new OneHandlerPerClaim(),
            new EffectsOnce(),
            new ExactAttempts(),
            new CrashesOfDeadNodes(),
            new AnsweredIdsAreJobs(),
            new SuccessIsNotDead(),
            new EarnedAttempts(),
            new NoMoreRetries(),
            new NobodyWaits(),
            new OutcomesAreRecorded(),
            new OnlyTheSilentDie(),
            new ThreadsStay(),
            new NoTraces());

    private Checker() {}

    /** Empty: every promise held. */
    public static List<Violation> check(History history) {
        return PROMISES.stream().flatMap(promise -> promise.broken(history)).toList();
    }
}
