package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Move;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The moves of a history by job, and its claims by token: each with the move that took the job out of running. */
public record Claims(Map<Long, List<Move>> moves, Map<Long, Claim> byToken) {

    /** @param exit null while the job is running */
    public record Claim(Move taken, @Nullable Move exit) {}

    /** When the last row of each transaction came into ready: others see none of them before that. */
    public static Map<String, Long> readyAt(History history) {
        return history.moves().stream()
                .filter(move -> move.room().equals("ready") && !move.detail().isEmpty())
                .collect(Collectors.toMap(Move::detail, Move::nanos, Math::max));
    }

    public static Claims of(History history) {
        Map<Long, List<Move>> moves = history.moves().stream()
                .sorted(Comparator.comparingLong(Move::seq))
                .collect(Collectors.groupingBy(Move::job, TreeMap::new, Collectors.toList()));
        Map<Long, Claim> byToken = new HashMap<>();
        for (List<Move> job : moves.values()) {
            for (int i = 0; i < job.size(); i++) {
                if (job.get(i).room().equals("running")) {
                    byToken.putIfAbsent(
                            job.get(i).token(), new Claim(job.get(i), i + 1 < job.size() ? job.get(i + 1) : null));
                }
            }
        }
        return new Claims(moves, byToken);
    }
}
