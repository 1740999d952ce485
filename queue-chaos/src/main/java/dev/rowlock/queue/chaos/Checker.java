package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.law.feature.FeatureLaws;
import dev.rowlock.queue.chaos.law.job.JobLaws;
import dev.rowlock.queue.chaos.law.node.NodeLaws;
import dev.rowlock.queue.chaos.law.outcome.OutcomeLaws;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Proves a history, or says what in it must not be. A pure function. */
public final class Checker {

    private static final List<Law> LAWS = Stream.of(JobLaws.ALL, NodeLaws.ALL, OutcomeLaws.ALL, FeatureLaws.ALL)
            .flatMap(Collection::stream)
            .toList();

    private Checker() {}

    /** Empty: every promise held. */
    public static List<Violation> check(History history) {
        return LAWS.stream().flatMap(law -> law.broken(history)).toList();
    }
}
