package dev.rowlock.queue.internal.janitor;

import java.time.Duration;

/** Something that must be done again and again. */
interface Chore {

    /** For logs. */
    String name();

    /** Does it once and returns how long to wait before the next time. */
    Duration runOnce();
}
