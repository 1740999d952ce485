package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.load.Work;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What was claimed in the queue whose keys are in order, by the order in which the database moved jobs.
 *
 * @param overtaken each claim of a job while another one of its key had begun and not ended
 */
public record InOrder(List<Overtaking> overtaken, Map<String, Spans> heldByKey, Map<Long, String> keys) {

    /** This job was claimed, and another one of its key had begun: its last move. */
    public record Overtaking(Move claim, Move other) {}

    private static final Set<String> BEGUN =
            Set.of("retry", "snooze", "unknown-type", "not-started", "crash", "redrive");

    public static InOrder of(History history) {
        Map<Long, String> keys = new HashMap<>();
        history.rows().forEach(row -> keys.put(row.id(), Work.Ordered.key(row.uid())));
        Map<String, Key> byKey = new HashMap<>();
        List<Overtaking> overtaken = new ArrayList<>();
        history.moves().stream()
                .filter(move -> move.queue().equals(Work.Ordered.QUEUE) && keys.containsKey(move.job()))
                .sorted(Comparator.comparingLong(Move::seq))
                .forEach(move -> byKey.computeIfAbsent(String.valueOf(keys.get(move.job())), key -> new Key())
                        .move(move, overtaken));
        return new InOrder(
                List.copyOf(overtaken),
                byKey.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, entry -> entry.getValue().held())),
                keys);
    }

    /** When this job could not have been claimed, because another one had begun. */
    public Spans heldUp(long job) {
        return heldByKey.getOrDefault(keys.getOrDefault(job, ""), Spans.NONE);
    }

    /** The jobs of a key that have begun and not ended, and their last moves. */
    private static final class Key {

        private final Map<Long, Move> begun = new HashMap<>();
        private final List<Span> held = new ArrayList<>();
        private long heldSince;

        void move(Move move, List<Overtaking> overtaken) {
            boolean wasHeld = !begun.isEmpty();
            if (move.room().equals("running")) {
                boolean triedBefore = begun.containsKey(move.job());
                begun.forEach((job, other) -> {
                    if (job != move.job() && !(triedBefore && other.room().equals("ready"))) {
                        overtaken.add(new Overtaking(move, other));
                    }
                });
            }
            if (hasBegun(move)) {
                begun.put(move.job(), move);
            } else {
                begun.remove(move.job());
            }
            boolean isHeld = !begun.isEmpty();
            if (isHeld && !wasHeld) {
                heldSince = move.nanos();
            } else if (wasHeld && !isHeld) {
                held.add(new Span(heldSince, move.nanos()));
            }
        }

        private static boolean hasBegun(Move move) {
            return switch (move.room()) {
                case "running" -> true;
                case "waiting" -> BEGUN.contains(move.detail());
                case "ready" -> move.attempt() > 0 || move.crashes() > 0;
                default -> false;
            };
        }

        Spans held() {
            List<Span> all = new ArrayList<>(held);
            if (!begun.isEmpty()) {
                all.add(new Span(heldSince, Spans.EVER));
            }
            return Spans.of(all);
        }
    }
}
