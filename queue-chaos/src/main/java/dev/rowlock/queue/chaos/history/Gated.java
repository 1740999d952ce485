package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Rule;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.load.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * What ran at once in a queue with limits, by the order in which the database moved jobs: a job that may begin since another one has
 * ended is moved after that one.
 *
 * @param crowds each moment at which more jobs ran than a limit allows
 * @param ofQueue when the queue was full
 * @param ofKeys when each key was
 */
public record Gated(List<Crowd> crowds, Full ofQueue, Map<String, Full> ofKeys, Map<Long, String> keys) {

    private static final Full NEVER = new Full(Spans.NONE, Spans.NONE);

    /** So many jobs of this key, or of the queue if it is empty, ran at once when this one was claimed. */
    public record Crowd(String key, int running, Move last) {}

    /**
     * When something was full.
     *
     * @param perhaps then somebody may have been held up by right: by the lowest limit that may have been in force
     * @param surely then nobody could begin: by the highest
     */
    public record Full(Spans perhaps, Spans surely) {}

    /** The queue whose limits change. */
    public static Gated of(History history) {
        return of(
                history,
                Work.Gated.QUEUE,
                Work.Gated::key,
                Bounds.of(history, Work.Gated.QUEUE, Rule::maxRunning, Work.Gated.MAX_RUNNING),
                Bounds.of(history, Work.Gated.QUEUE, Rule::maxRunningPerKey, Work.Gated.MAX_RUNNING_PER_KEY));
    }

    /** The queue that has rates besides. */
    public static Gated rated(History history) {
        return of(
                history,
                Work.Rated.QUEUE,
                Work.Rated::key,
                Bounds.fixed(Work.Rated.MAX_RUNNING, Work.Rated.MAX_RUNNING),
                Bounds.fixed(Work.Rated.MAX_RUNNING_PER_KEY, Work.Rated.MAX_RUNNING_PER_KEY));
    }

    /** The queue whose keys borrow places. One that has its own is held up by right: others may have borrowed the rest. */
    public static Gated lent(History history) {
        return of(
                history,
                Work.Lent.QUEUE,
                Work.Lent::key,
                Bounds.fixed(Work.Lent.MAX_RUNNING, Work.Lent.MAX_RUNNING),
                Bounds.fixed(Work.Lent.BURST_PER_KEY, Work.Lent.MAX_RUNNING_PER_KEY));
    }

    private static Gated of(History history, String name, LongFunction<String> keyOf, Bounds ofQueue, Bounds ofKey) {
        Map<Long, String> keys = new HashMap<>();
        history.rows().forEach(row -> keys.put(row.id(), keyOf.apply(row.uid())));
        Count queue = new Count("", ofQueue);
        Map<String, Count> byKey = new HashMap<>();
        List<Crowd> crowds = new ArrayList<>();
        history.moves().stream()
                .filter(move -> move.queue().equals(name) && keys.containsKey(move.job()))
                .sorted(Comparator.comparingLong(Move::seq))
                .forEach(move -> {
                    queue.move(move, crowds);
                    byKey.computeIfAbsent(String.valueOf(keys.get(move.job())), key -> new Count(key, ofKey))
                            .move(move, crowds);
                });
        return new Gated(
                List.copyOf(crowds),
                queue.full(),
                byKey.values().stream().collect(Collectors.toMap(count -> count.key, Count::full)),
                keys);
    }

    /** When the key of this job was full. */
    public Full ofKey(long job) {
        return ofKeys.getOrDefault(keys.getOrDefault(job, ""), NEVER);
    }

    /** When this job could not have been claimed, because of a limit. */
    public Spans heldUp(long job) {
        return ofQueue.perhaps().or(ofKey(job).perhaps());
    }

    /** What runs at once under one limit. */
    private static final class Count {

        private final String key;
        private final Bounds bounds;
        private final Deque<Long> turns; // of the limit, that are still to come
        private final Set<Long> running = new HashSet<>();
        private final Stretches perhaps = new Stretches();
        private final Stretches surely = new Stretches();

        Count(String key, Bounds bounds) {
            this.key = key;
            this.bounds = bounds;
            this.turns = new ArrayDeque<>(bounds.turns());
        }

        void move(Move move, List<Crowd> crowds) {
            turn(move.nanos());
            if (move.room().equals("running")) {
                running.add(move.job());
                if (running.size() > bounds.most(move.nanos())) {
                    crowds.add(new Crowd(key, running.size(), move));
                }
            } else {
                running.remove(move.job());
            }
            look(move.nanos());
        }

        private void turn(long until) {
            while (!turns.isEmpty() && turns.peek() <= until) {
                look(turns.poll());
            }
        }

        private void look(long nanos) {
            perhaps.set(running.size() >= bounds.own(nanos), nanos);
            surely.set(running.size() >= bounds.most(nanos), nanos);
        }

        Full full() {
            turn(Spans.EVER);
            return new Full(perhaps.all(), surely.all());
        }
    }

    /** When something was so. */
    private static final class Stretches {

        private final List<Span> over = new ArrayList<>();
        private boolean on;
        private long since;

        void set(boolean now, long nanos) {
            if (now && !on) {
                since = nanos;
            } else if (on && !now) {
                over.add(new Span(since, nanos));
            }
            on = now;
        }

        Spans all() {
            List<Span> all = new ArrayList<>(over);
            if (on) {
                all.add(new Span(since, Spans.EVER));
            }
            return Spans.of(all);
        }
    }
}
