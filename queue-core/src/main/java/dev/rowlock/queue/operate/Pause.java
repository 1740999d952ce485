package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pause that has not ended.
 *
 * @param name of the queue or the type; empty for everything
 * @param since by the database's clock
 * @param who paused it
 * @param why null: not given
 */
public record Pause(
        Kind kind,
        String name,
        Instant since,
        String who,
        @Nullable String why) {

    /** What is paused. */
    public enum Kind {
        /** All jobs of one queue. */
        QUEUE,
        /** All jobs of one type, in whatever queue. */
        TYPE,
        /** All jobs. */
        EVERYTHING
    }
}
