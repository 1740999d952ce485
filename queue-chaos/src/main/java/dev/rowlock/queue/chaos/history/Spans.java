package dev.rowlock.queue.chaos.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Stretches of time in nanos, sorted and apart. */
record Spans(List<Span> list) {

    record Span(long from, long to) {

        long length() {
            return to - from;
        }
    }

    static final Spans NONE = new Spans(List.of());

    /** From stretches in any order, which may overlap; empty ones do not count. */
    static Spans of(List<Span> stretches) {
        List<Span> merged = new ArrayList<>();
        stretches.stream()
                .filter(span -> span.length() > 0)
                .sorted(Comparator.comparingLong(Span::from))
                .forEach(span -> {
                    Span last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
                    if (last == null || last.to() < span.from()) {
                        merged.add(span);
                    } else if (last.to() < span.to()) {
                        merged.set(merged.size() - 1, new Span(last.from(), span.to()));
                    }
                });
        return new Spans(List.copyOf(merged));
    }

    static Spans of(long from, long to) {
        return of(List.of(new Span(from, to)));
    }

    Spans and(Spans other) {
        List<Span> common = new ArrayList<>();
        for (Span mine : list) {
            for (Span theirs : other.list) {
                common.add(new Span(Math.max(mine.from(), theirs.from()), Math.min(mine.to(), theirs.to())));
            }
        }
        return of(common);
    }

    Spans minus(Spans other) {
        List<Span> rest = new ArrayList<>(list);
        for (Span hole : other.list) {
            List<Span> next = new ArrayList<>();
            for (Span span : rest) {
                next.add(new Span(span.from(), Math.min(span.to(), hole.from())));
                next.add(new Span(Math.max(span.from(), hole.to()), span.to()));
            }
            rest = next;
        }
        return of(rest);
    }

    /** The length of the longest stretch; 0 if there is none. */
    long longest() {
        return list.stream().mapToLong(Span::length).max().orElse(0);
    }

    boolean cover(long from, long to) {
        return list.stream().anyMatch(span -> span.from() <= from && span.to() >= to);
    }
}
