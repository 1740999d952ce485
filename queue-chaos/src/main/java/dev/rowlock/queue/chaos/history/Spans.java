package dev.rowlock.queue.chaos.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Stretches of time in nanos, sorted and apart. */
public record Spans(List<Span> list) {

    public record Span(long from, long to) {

        long length() {
            return to - from;
        }
    }

    /** Before and after everything, but not so far away that sums overflow. */
    public static final long EVER = Long.MAX_VALUE / 4;

    static final Spans NONE = new Spans(List.of());

    /** From stretches in any order, which may overlap; empty ones do not count. */
    public static Spans of(List<Span> stretches) {
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

    public static Spans of(long from, long to) {
        return of(List.of(new Span(from, to)));
    }

    public Spans and(Spans other) {
        List<Span> common = new ArrayList<>();
        int mine = 0;
        int theirs = 0;
        while (mine < list.size() && theirs < other.list.size()) {
            Span a = list.get(mine);
            Span b = other.list.get(theirs);
            common.add(new Span(Math.max(a.from(), b.from()), Math.min(a.to(), b.to())));
            if (a.to() < b.to()) {
                mine++;
            } else {
                theirs++;
            }
        }
        return of(common);
    }

    public Spans or(Spans other) {
        List<Span> both = new ArrayList<>(list);
        both.addAll(other.list);
        return of(both);
    }

    public Spans minus(Spans other) {
        return and(other.gaps());
    }

    private Spans gaps() {
        List<Span> gaps = new ArrayList<>();
        long since = -EVER;
        for (Span span : list) {
            gaps.add(new Span(since, span.from()));
            since = span.to();
        }
        gaps.add(new Span(since, EVER));
        return of(gaps);
    }

    /** The length of the longest stretch; 0 if there is none. */
    public long longest() {
        return list.stream().mapToLong(Span::length).max().orElse(0);
    }

    /** The length of all stretches together. */
    public long length() {
        return list.stream().mapToLong(Span::length).sum();
    }

    /** When the first stretch from then on begins; {@link #EVER} if there is none. */
    public long firstBegin(long from) {
        return list.stream()
                .mapToLong(Span::from)
                .filter(begin -> begin >= from)
                .findFirst()
                .orElse(EVER);
    }

    public boolean cover(long from, long to) {
        return list.stream().anyMatch(span -> span.from() <= from && span.to() >= to);
    }
}
