package dev.rowlock.queue.chaos.law;

import dev.rowlock.queue.chaos.history.History;
import java.util.List;

/** Proves a history, or says what in it must not be. A pure function. */
public final class Checker {

    private static final List<Law> LAWS = List.of(
            new NothingLost(),
            new LegalMoves(),
            new GrowingTokens(),
            new OutcomesOfOwners(),
            new OneHandlerPerClaim(),
            new EffectsOnce(),
            new StepsOnce(),
            new ExactAttempts(),
            new CrashesOfDeadNodes(),
            new AnsweredIdsAreJobs(),
            new SuccessIsNotDead(),
            new EarnedAttempts(),
            new NoMoreRetries(),
            new RunsOnce(),
            new LastWordsRun(),
            new WaitsEndAsTheirJobs(),
            new OperatorsAreObeyed(),
            new NobodyWaits(),
            new OutcomesAreRecorded(),
            new OnlyTheSilentDie(),
            new ThreadsStay(),
            new NoTraces());

    private Checker() {}

    /** Empty: every promise held. */
    public static List<Violation> check(History history) {
        return LAWS.stream().flatMap(law -> law.broken(history)).toList();
    }
}
