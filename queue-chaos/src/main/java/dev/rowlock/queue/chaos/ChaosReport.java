package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Held;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.history.Rated;
import dev.rowlock.queue.chaos.history.Recovery;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.law.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What came of a run, for people. */
public record ChaosReport(History history, List<Violation> violations, List<String> late) {

    /** How many violations of a promise are written out. */
    private static final int MOST = 8;

    /**
     * Checks the history.
     *
     * @param late workers that did not end in time after SIGTERM
     */
    public static ChaosReport of(History history, List<String> late) {
        return new ChaosReport(history, Checker.check(history), late);
    }

    public boolean passed() {
        return violations.isEmpty() && late.isEmpty();
    }

    @Override
    public String toString() {
        List<Duration> recovery = Recovery.times(history);
        return """
                enqueued %s
                ended %s
                %d claims, %d handlers begun, %d outcomes recorded, %d told lost, %d nodes removed
                operators paused a type %d times and redrove %d jobs
                limits set %d times, %d jobs claimed under rates, %d times told why a job waits
                struck by %s
                %s
                %d nodes killed with %d handlers; until their jobs ran again: median %d ms, p99 %d ms, longest %d ms
                %s%s
                """.formatted(
                count(history.told().stream().map(told -> told.fate().name()).toList()),
                count(history.rows().stream().map(History.Row::state).toList()),
                history.moves().stream()
                        .filter(move -> move.room().equals("running"))
                        .count(),
                history.starts().size(),
                history.said().stream()
                        .filter(said -> !said.label().equals("lost"))
                        .count(),
                history.said().stream()
                        .filter(said -> said.label().equals("lost"))
                        .count(),
                history.removals().size(),
                history.steering().pauses().size(),
                history.steering().done(),
                history.rules().size(),
                history.moves().stream().filter(Rated::claims).count(),
                history.asked().size(),
                count(history.strikes().stream().map(History.Strike::fault).toList()),
                snapshots(),
                history.kills().size(),
                recovery.size(),
                Recovery.percentile(recovery, 50).toMillis(),
                Recovery.percentile(recovery, 99).toMillis(),
                Recovery.percentile(recovery, 100).toMillis(),
                violations.isEmpty() ? "every promise held" : broken(),
                late.isEmpty() ? "" : "\nnot stopped in time: " + late);
    }

    /** Who held back vacuum, for how long, and what was left behind. */
    private String snapshots() {
        List<Held> held = history.held();
        if (held.isEmpty()) {
            return "nobody held back vacuum";
        }
        Spans times = Spans.of(
                held.stream().map(each -> new Span(each.from(), each.to())).toList());
        return "vacuum held back %d times by %s, for %d s, and for %d s of it nothing else was wrong; %d of them ended by faults; at most %d transactions and %d dead rows behind"
                .formatted(
                        held.size(),
                        count(held.stream().map(Held::how).toList()),
                        Duration.ofNanos(times.length()).toSeconds(),
                        Duration.ofNanos(times.and(Peace.of(history).calm()).length())
                                .toSeconds(),
                        held.stream().filter(Held::cut).count(),
                        held.stream().mapToLong(Held::transactions).max().orElse(0),
                        held.stream().mapToLong(Held::dead).max().orElse(0));
    }

    /** Some of each promise: one that is broken everywhere must not hide the others. */
    private String broken() {
        Map<String, List<Violation>> byPromise = violations.stream()
                .collect(Collectors.groupingBy(Violation::promise, TreeMap::new, Collectors.toList()));
        return "%d VIOLATIONS: %s%n"
                        .formatted(
                                violations.size(),
                                count(violations.stream()
                                        .map(Violation::promise)
                                        .toList()))
                + byPromise.values().stream()
                        .flatMap(same -> same.stream().limit(MOST))
                        .map(Violation::toString)
                        .collect(Collectors.joining("\n"));
    }

    private static Map<String, Long> count(List<String> words) {
        return words.stream().collect(Collectors.groupingBy(word -> word, TreeMap::new, Collectors.counting()));
    }
}
