package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.history.History.Start;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** How long the jobs of killed processes waited until they ran again. */
public final class Recovery {

    private Recovery() {}

    /** For every handler that a kill ended: from the kill to the job's next start. Sorted. */
    public static List<Duration> times(History history) {
        Set<Long> ended = history.ends().stream().map(End::token).collect(Collectors.toSet());
        return history.kills().stream()
                .flatMap(kill -> history.starts().stream()
                        .filter(start -> start.node().equals(kill.node()) && !ended.contains(start.token()))
                        .flatMap(start -> next(history, start, kill).stream()))
                .sorted()
                .toList();
    }

    private static List<Duration> next(History history, Start killed, Kill kill) {
        return history.starts().stream()
                .filter(start -> start.job() == killed.job() && start.nanos() > kill.nanos())
                .min(Comparator.comparingLong(Start::nanos))
                .map(start -> List.of(Duration.ofNanos(start.nanos() - kill.nanos())))
                .orElse(List.of());
    }

    /** The value below which so many percent lie; zero for none. */
    public static Duration percentile(List<Duration> sorted, int percent) {
        return sorted.isEmpty()
                ? Duration.ZERO
                : sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }
}
