package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Rule;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A limit that may be changed. Claims that are under way at that moment may still be by the one before, and so may whoever tells somebody to wait.
 *
 * @param most so many may run at once
 * @param own from so many on others may be held up
 * @param changes when it became another one, in order; while there are none, it is as said above
 */
record Bounds(int most, int own, List<Change> changes) {

    /** The time of a claim, with room for a busy machine: nobody tells when one has begun. */
    private static final long UNDER_WAY = Duration.ofSeconds(3).toNanos();

    record Change(long nanos, int limit) {}

    /** One that stays. */
    static Bounds fixed(int most, int own) {
        return new Bounds(most, own, List.of());
    }

    /** That of a queue, as it was changed; this one, where nobody wrote that down. */
    static Bounds of(History history, String queue, Function<Rule, @Nullable Integer> which, int otherwise) {
        return new Bounds(
                otherwise,
                otherwise,
                history.rules().stream()
                        .filter(rule -> rule.queue().equals(queue))
                        .sorted(Comparator.comparingLong(Rule::seq))
                        .flatMap(rule ->
                                Stream.ofNullable(which.apply(rule)).map(limit -> new Change(rule.nanos(), limit)))
                        .toList());
    }

    /** No claim may make it more than that. */
    int most(long at) {
        return changes.isEmpty()
                ? most
                : inForce(at).mapToInt(Change::limit).max().orElseThrow();
    }

    /** Below that nobody may be held up. */
    int own(long at) {
        return changes.isEmpty()
                ? own
                : inForce(at).mapToInt(Change::limit).min().orElseThrow();
    }

    /** Moments at which the answers may become others, in order. */
    List<Long> turns() {
        return changes.stream()
                .flatMapToLong(change -> LongStream.of(change.nanos(), change.nanos() + UNDER_WAY + 1))
                .sorted()
                .boxed()
                .toList();
    }

    private Stream<Change> inForce(long at) {
        int first = 0;
        for (int i = 1; i < changes.size() && changes.get(i).nanos() <= at - UNDER_WAY; i++) {
            first = i;
        }
        int begin = first;
        return IntStream.range(begin, changes.size())
                .filter(i -> i == begin || changes.get(i).nanos() <= at)
                .mapToObj(changes::get);
    }
}
