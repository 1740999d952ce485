package dev.rowlock.queue;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;

/** The front doors with wake-ups of a test's choice, for tests of other packages; applications take {@link Rowlock}'s. */
public final class FrontDoors {

    private FrontDoors() {}

    public static JobTemplate jobs(Database database, PayloadCodec codec, Wakeups wakeups) {
        return new JobTemplate(database, codec, 1 << 20, type -> null, wakeups);
    }

    public static JobAdmin admin(Database database, Wakeups wakeups) {
        return new JobAdmin(database, wakeups);
    }

    public static JobSearch search(Database database) {
        return new JobSearch(database);
    }
}
