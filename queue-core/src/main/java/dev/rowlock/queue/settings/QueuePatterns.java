package dev.rowlock.queue.settings;

import java.util.Collection;
import java.util.List;

/**
 * Which queues a deployment runs jobs of. A pattern is a queue's name, in which {@code *} stands for any characters, also none:
 * {@code mail-*}. One that begins with {@code !} takes away from those before it: {@code *, !import}.
 *
 * @param patterns the later ones decide; at least one
 */
public record QueuePatterns(List<String> patterns) {

    /** All queues. */
    public static final QueuePatterns ALL = new QueuePatterns(List.of("*"));

    public QueuePatterns {
        patterns = patterns.stream().map(String::strip).toList();
        if (patterns.isEmpty()) {
            throw new IllegalArgumentException(
                    "no queue is named: name queues or patterns such as mail-*, or run no jobs at all");
        }
        for (String pattern : patterns) {
            if (name(pattern).isEmpty()) {
                throw new IllegalArgumentException("queue pattern '%s' is empty".formatted(pattern));
            }
        }
        if (excludes(patterns.get(0))) {
            throw new IllegalArgumentException(
                    "queue pattern '%s' takes away from nothing: put * before it".formatted(patterns.get(0)));
        }
    }

    public static QueuePatterns of(String... patterns) {
        return new QueuePatterns(List.of(patterns));
    }

    /** Whether jobs of this queue are run. */
    public boolean matches(String queue) {
        boolean matches = false;
        for (String pattern : patterns) {
            if (matches == excludes(pattern) && matches(name(pattern), queue)) {
                matches = !excludes(pattern);
            }
        }
        return matches;
    }

    /** The patterns that fit none of these queues: misspelt, perhaps. */
    public List<String> unmatched(Collection<String> queues) {
        return patterns.stream()
                .filter(pattern -> !name(pattern).equals("*"))
                .filter(pattern -> queues.stream().noneMatch(queue -> matches(name(pattern), queue)))
                .toList();
    }

    private static boolean excludes(String pattern) {
        return pattern.startsWith("!");
    }

    private static String name(String pattern) {
        return excludes(pattern) ? pattern.substring(1).strip() : pattern;
    }

    /** Goes back to the last star when what follows it does not fit; needs no more than the product of both lengths. */
    private static boolean matches(String pattern, String queue) {
        int p = 0;
        int star = -1;
        int resume = 0;
        for (int q = 0; q < queue.length(); ) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = q;
            } else if (p < pattern.length() && pattern.charAt(p) == queue.charAt(q)) {
                p++;
                q++;
            } else if (star >= 0) {
                p = star + 1;
                q = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
