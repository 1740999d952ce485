package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.law.Law;
import java.util.List;

/** All laws of this package. */
public final class JobLaws {

    public static final List<Law> ALL = List.of(
            new NothingLost(),
            new LegalMoves(),
            new GrowingTokens(),
            new OneHandlerPerClaim(),
            new AnsweredIdsAreJobs(),
            new NobodyWaits());

    private JobLaws() {}
}
