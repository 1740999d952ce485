package dev.rowlock.queue.chaos.load;

import java.util.Locale;
import java.util.stream.Stream;

/** The keys of the queue whose keys share run time. The jobs of each take another time: shared by jobs, most of the time would go to the slow one. */
public enum Sharer {
    SLOW(400, 1),
    QUICK(50, 1),
    /** Twice the time of the others. */
    HEAVY(100, 2);

    private final int millis;
    private final int weight;

    Sharer(int millis, int weight) {
        this.millis = millis;
        this.weight = weight;
    }

    /** How long each of its jobs sleeps, and by that it is known. */
    public int millis() {
        return millis;
    }

    public int weight() {
        return weight;
    }

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whose job this is, which sleeps so long. */
    public static Sharer of(int millis) {
        return Stream.of(values())
                .filter(sharer -> sharer.millis == millis)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("nobody's jobs take " + millis + " ms"));
    }
}
