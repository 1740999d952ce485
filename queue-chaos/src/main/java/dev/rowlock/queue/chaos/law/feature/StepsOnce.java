package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Step;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A checkpoint never goes back: a job that counts by one does each step once, in order, under claims that grow. */
final class StepsOnce implements Law {

    private static final String NAME = "steps exactly once";

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, List<Step>> jobs =
                history.steps().stream().collect(Collectors.groupingBy(Step::job, TreeMap::new, Collectors.toList()));
        return jobs.values().stream()
                .filter(steps -> !counts(steps))
                .map(steps -> Violation.of(
                        NAME, "job %d did its steps so: %s", steps.get(0).job(), steps));
    }

    private static boolean counts(List<Step> steps) {
        return IntStream.range(0, steps.size())
                .allMatch(i -> steps.get(i).number() == i + 1
                        && (i == 0 || steps.get(i - 1).token() <= steps.get(i).token()));
    }
}
