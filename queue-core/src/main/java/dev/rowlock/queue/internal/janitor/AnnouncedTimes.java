package dev.rowlock.queue.internal.janitor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Due times that all nodes have heard by notifications, in the order of the notifications. Positions count what this node has heard. Times are monotonic, in nanoseconds. Guarded by its owner.
 */
final class AnnouncedTimes {

    /** More than these become one: a look at the first of them, for all. */
    static final int MOST_TIMES = 64;

    /** A look is told of long before so many others; one that names an older message spares nobody's look. */
    static final int MOST_MESSAGES = 1_000;

    /** A job, or some, known by a message at this position or before. */
    private record Heard(long position, long at) {

        /** Whoever looked for this one after he had heard of it knows when the other one is due, too. */
        boolean covers(Heard other) {
            return position >= other.position && at - other.at <= 0;
        }
    }

    private final List<Heard> times = new ArrayList<>();
    private final Map<String, Long> positions = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_MESSAGES;
        }
    };
    private long position; // of the last that was heard; 0: nothing yet
    private @Nullable String message; // the last one that has a name

    /** All have heard of a job. */
    void heard(long at) {
        position++;
        add(position, at);
    }

    /** What was heard until now came by this message, or by those before it. */
    void named(String name) {
        message = name;
        positions.put(name, position);
    }

    /** Somebody who has heard all until this position knows of a job. */
    void add(long known, long at) {
        Heard added = new Heard(known, at);
        if (times.stream().anyMatch(time -> time.covers(added))) {
            return;
        }
        times.removeIf(added::covers);
        times.add(added);
        if (times.size() > MOST_TIMES) {
            Heard all = times.stream()
                    .reduce((a, b) -> new Heard(Math.max(a.position, b.position), a.at - b.at < 0 ? a.at : b.at))
                    .orElseThrow();
            times.clear();
            times.add(all);
        }
    }

    /** Somebody who had heard all until this position has looked for what is due. */
    void removeDue(long known, long now) {
        times.removeIf(time -> time.position <= known && time.at - now <= 0);
    }

    void clear() {
        times.clear();
    }

    /** The first time, or this one if there is none before it. */
    long first(long never) {
        long first = never;
        for (Heard time : times) {
            first = time.at - first < 0 ? time.at : first;
        }
        return first;
    }

    long position() {
        return position;
    }

    /** Where this message stands; 0 if nobody knows. */
    long positionOf(@Nullable String name) {
        return name == null ? 0 : positions.getOrDefault(name, 0L);
    }

    @Nullable
    String message() {
        return message;
    }
}
