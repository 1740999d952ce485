package dev.rowlock.queue.internal.janitor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Ages of claim tokens by the monotonic clock of this process: notes now and then which token was the last. Not thread-safe.
 */
final class TokenMarks {

    private record Mark(long token, long at) {}

    private final Deque<Mark> marks = new ArrayDeque<>();

    /** This was the last token then. */
    void note(long token, long at) {
        marks.addLast(new Mark(token, at));
    }

    /** The last token that was noted so long ago; null if none was. What is older is forgotten. */
    @Nullable
    Long olderThan(Duration age, long now) {
        Long last = null;
        while (!marks.isEmpty() && now - marks.getFirst().at() >= age.toNanos()) {
            last = marks.removeFirst().token();
        }
        return last;
    }
}
