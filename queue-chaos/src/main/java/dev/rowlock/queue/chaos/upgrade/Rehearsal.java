package dev.rowlock.queue.chaos.upgrade;

import dev.rowlock.queue.chaos.Checker;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.law.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What came of a rehearsal of an upgrade.
 *
 * @param failed what callers caught
 */
public record Rehearsal(History history, List<String> failed, Times times) {

    /** At least one node works at any moment; this leaves room for a machine that starts processes meanwhile. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private static final int NODES = 7;
    private static final int MOST = 20;

    /**
     * When there was steady load, and when the tables were upgraded.
     */
    public record Times(long loaded, long unloaded, long migratedFrom, long migratedTo) {}

    /** Besides the laws of chaos: nobody's call fails, every job is completed, every node works, and claims go on. */
    public List<Violation> violations() {
        return Stream.of(
                        Checker.check(history).stream(),
                        failed.stream().map(error -> Violation.of("calls succeed", "%s", error)),
                        history.rows().stream()
                                .filter(row -> !row.state().equals("completed"))
                                .map(row -> Violation.of("all jobs are completed", "%s", row)),
                        everyNodeWorks(),
                        claimsGoOn())
                .flatMap(all -> all)
                .toList();
    }

    private Stream<Violation> everyNodeWorks() {
        Map<String, Long> handlers = handlers();
        return handlers.size() == NODES
                ? Stream.empty()
                : Stream.of(Violation.of(
                        "every node works", "%d processes ran jobs, not %d: %s", handlers.size(), NODES, handlers));
    }

    private Stream<Violation> claimsGoOn() {
        Duration longest = longestPause(times.loaded(), times.unloaded());
        return longest.compareTo(LONGEST_PAUSE) <= 0
                ? Stream.empty()
                : Stream.of(Violation.of("claims go on", "nothing was claimed for %d ms", longest.toMillis()));
    }

    private Map<String, Long> handlers() {
        return history.starts().stream()
                .collect(Collectors.groupingBy(Start::node, TreeMap::new, Collectors.counting()));
    }

    /** Zero where the machine does not tell when a job moved. */
    private Duration longestPause(long from, long to) {
        long longest = 0;
        long last = from;
        List<Long> claims = history.moves().stream()
                .filter(move -> move.room().equals("running") && move.nanos() >= from && move.nanos() <= to)
                .map(Move::nanos)
                .sorted()
                .toList();
        if (history.moves().stream().allMatch(move -> move.nanos() == 0)) {
            return Duration.ZERO;
        }
        for (long claim : claims) {
            longest = Math.max(longest, claim - last);
            last = claim;
        }
        return Duration.ofNanos(Math.max(longest, to - last));
    }

    @Override
    public String toString() {
        List<Violation> violations = violations();
        return """
                %d jobs enqueued, %s
                handlers begun by %s
                %d nodes killed; the longest time without a claim was %d ms, %d ms around the upgrade of the tables, which took %d ms
                %s
                """.formatted(
                history.told().size(),
                history.rows().stream().collect(Collectors.groupingBy(Row::state, TreeMap::new, Collectors.counting())),
                handlers(),
                history.kills().size(),
                longestPause(times.loaded(), times.unloaded()).toMillis(),
                longestPause(times.migratedFrom(), times.migratedTo()).toMillis(),
                (times.migratedTo() - times.migratedFrom()) / 1_000_000,
                violations.isEmpty() ? "every promise held" : broken(violations));
    }

    private static String broken(List<Violation> violations) {
        return "%d VIOLATIONS%n".formatted(violations.size())
                + violations.stream().limit(MOST).map(Violation::toString).collect(Collectors.joining("\n"));
    }
}
