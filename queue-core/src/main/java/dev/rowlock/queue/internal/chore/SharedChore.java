package dev.rowlock.queue.internal.chore;

import java.time.Duration;
import java.util.function.Supplier;

/** A chore that one node at a time does for all, whichever is the first when it is due. If it fails, it is due again at once. */
public final class SharedChore implements Chore {

    private final TakeChore chore;
    private final String name;
    private final Duration interval;
    private final Supplier<Duration> work;

    /** Done at an interval. */
    public SharedChore(TakeChore chore, String name, Duration interval, Runnable work) {
        this(chore, name, interval, () -> {
            work.run();
            return interval;
        });
    }

    /**
     * Done at an interval, or as its last run has said.
     *
     * @param work returns how long until it is due again
     */
    public SharedChore(TakeChore chore, String name, Duration interval, Supplier<Duration> work) {
        this.chore = chore;
        this.name = name;
        this.interval = interval;
        this.work = work;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Duration runOnce() {
        return chore.ifDue(name, interval, work);
    }
}
