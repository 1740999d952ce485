package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.law.Law;
import java.util.List;

/** All laws of this package. */
public final class FeatureLaws {

    public static final List<Law> ALL = List.of(
            new StepsOnce(),
            new RunsOnce(),
            new LastWordsRun(),
            new WaitsEndAsTheirJobs(),
            new OperatorsAreObeyed(),
            new LimitsHold(),
            new OrderHolds(),
            new RatesHold(),
            new PlacesAreUsed(),
            new AnswersAreTrue(),
            new StepsInTurn(),
            new SkippedByRight());

    private FeatureLaws() {}
}
