package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.load.Work;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * What ran at once in a queue with limits, by the order in which the database moved jobs: a job that may begin since another one has
 * ended is moved after that one.
 *
 * @param crowds each moment at which more jobs ran than a limit allows
 */
public record Gated(List<Crowd> crowds, Spans full, Map<String, Spans> fullByKey, Map<Long, String> keys) {

    /** So many jobs of this key, or of the queue if it is empty, ran at once when this one was claimed. */
    public record Crowd(String key, int running, Move last) {}

    /** The queue whose limits are fixed. */
    public static Gated of(History history) {
        return of(
                history,
                Work.Gated.QUEUE,
                Work.Gated::key,
                Work.Gated.MAX_RUNNING,
                key -> new Count(key, Work.Gated.MAX_RUNNING_PER_KEY, Work.Gated.MAX_RUNNING_PER_KEY));
    }

    /** The queue whose keys borrow places. One that has its own is held up by right: others may have borrowed the rest. */
    public static Gated lent(History history) {
        return of(
                history,
                Work.Lent.QUEUE,
                Work.Lent::key,
                Work.Lent.MAX_RUNNING,
                key -> new Count(key, Work.Lent.BURST_PER_KEY, Work.Lent.MAX_RUNNING_PER_KEY));
    }

    private static Gated of(
            History history, String name, LongFunction<String> keyOf, int limit, Function<String, Count> newKey) {
        Map<Long, String> keys = new HashMap<>();
        history.rows().forEach(row -> keys.put(row.id(), keyOf.apply(row.uid())));
        Count queue = new Count("", limit, limit);
        Map<String, Count> byKey = new HashMap<>();
        List<Crowd> crowds = new ArrayList<>();
        history.moves().stream()
                .filter(move -> move.queue().equals(name) && keys.containsKey(move.job()))
                .sorted(Comparator.comparingLong(Move::seq))
                .forEach(move -> {
                    Count ofKey = byKey.computeIfAbsent(String.valueOf(keys.get(move.job())), newKey);
                    queue.move(move, crowds);
                    ofKey.move(move, crowds);
                });
        return new Gated(
                List.copyOf(crowds),
                queue.full(),
                byKey.values().stream().collect(Collectors.toMap(count -> count.key, Count::full)),
                keys);
    }

    /** When this job could not have been claimed, because of a limit. */
    public Spans heldUp(long job) {
        Spans ofKey = fullByKey.getOrDefault(keys.getOrDefault(job, ""), Spans.NONE);
        List<Span> both = new ArrayList<>(full.list());
        both.addAll(ofKey.list());
        return Spans.of(both);
    }

    /** What runs at once under one limit. */
    private static final class Count {

        private final String key;
        private final int most;
        private final int own;
        private final Set<Long> running = new HashSet<>();
        private final List<Span> full = new ArrayList<>();
        private long fullSince;

        /**
         * @param most so many may run at once
         * @param own from so many on others may be held up
         */
        Count(String key, int most, int own) {
            this.key = key;
            this.most = most;
            this.own = own;
        }

        void move(Move move, List<Crowd> crowds) {
            boolean wasFull = running.size() >= own;
            if (move.room().equals("running")) {
                running.add(move.job());
                if (running.size() > most) {
                    crowds.add(new Crowd(key, running.size(), move));
                }
            } else {
                running.remove(move.job());
            }
            boolean isFull = running.size() >= own;
            if (isFull && !wasFull) {
                fullSince = move.nanos();
            } else if (wasFull && !isFull) {
                full.add(new Span(fullSince, move.nanos()));
            }
        }

        Spans full() {
            List<Span> all = new ArrayList<>(full);
            if (running.size() >= own) {
                all.add(new Span(fullSince, Spans.EVER));
            }
            return Spans.of(all);
        }
    }
}
