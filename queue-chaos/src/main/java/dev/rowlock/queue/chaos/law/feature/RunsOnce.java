package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Run;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A recurring job that is due each second has one job for each second from its first to its last one, whatever died in between; and
 * it has some at all, if nothing was wrong. Where the server's clock stepped, seconds may be missing.
 */
final class RunsOnce implements Law {

    private static final String NAME = "one job for each run";

    /** It is there for twelve; the first of them comes within two. */
    private static final int FEWEST_IN_PEACE = 5;

    @Override
    public Stream<Violation> broken(History history) {
        Map<String, List<Run>> runs = history.runs().stream().collect(Collectors.groupingBy(Run::recurring));
        return Stream.concat(
                runs.values().stream().flatMap(RunsOnce::twice),
                history.lives().stream()
                        .filter(life -> history.strikes().stream().noneMatch(strike -> setsClock(strike, life)))
                        .flatMap(life -> leftOut(life, runs.getOrDefault(life.name(), List.of()), history)));
    }

    private static Stream<Violation> twice(List<Run> runs) {
        Map<Instant, List<Run>> byTime =
                runs.stream().collect(Collectors.groupingBy(Run::at, TreeMap::new, Collectors.toList()));
        return byTime.values().stream()
                .filter(same -> same.size() > 1)
                .map(same -> Violation.of(
                        NAME,
                        "the run of '%s' at %s has %d jobs: %s",
                        same.get(0).recurring(),
                        same.get(0).at(),
                        same.size(),
                        same.stream().map(Run::job).toList()));
    }

    private static boolean setsClock(Strike strike, Life life) {
        return (strike.fault().startsWith("CLOCK_") || strike.fault().equals("WEEK_AWAY"))
                && strike.from() < life.gone()
                && strike.to() > life.made();
    }

    private static Stream<Violation> leftOut(Life life, List<Run> runs, History history) {
        List<Instant> times = runs.stream().map(Run::at).distinct().sorted().toList();
        Stream<Violation> gaps = IntStream.range(1, times.size())
                .filter(i -> !times.get(i - 1).plusSeconds(1).equals(times.get(i)))
                .mapToObj(i -> Violation.of(
                        NAME, "'%s' has no runs between %s and %s", life.name(), times.get(i - 1), times.get(i)));
        boolean peaceful = history.strikes().stream()
                .noneMatch(strike -> strike.from() < life.gone() && strike.to() > life.made());
        boolean few = peaceful
                && life.gone() - life.made() > Duration.ofSeconds(12).toNanos()
                && times.size() < FEWEST_IN_PEACE;
        return few
                ? Stream.of(Violation.of(
                        NAME,
                        "'%s' had %d runs in twelve seconds in which nothing was wrong",
                        life.name(),
                        times.size()))
                : gaps;
    }
}
