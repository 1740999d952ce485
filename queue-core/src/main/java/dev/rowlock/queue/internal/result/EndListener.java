package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.wake.NotificationListener;
import dev.rowlock.queue.internal.wake.RemoteWakeups;
import dev.rowlock.queue.internal.wake.WakeupBus;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Listens for ends of jobs in a process without a node. Opened with the first wait, and kept until a node of this process listens. Thread-safe.
 */
final class EndListener implements AutoCloseable {

    private final @Nullable DataSource unpooled;
    private final Schema schema;
    private final WakeupBus wakeups;
    private final BooleanSupplier nodeListens;
    private @Nullable NotificationListener listener; // guarded by this
    private boolean closed; // guarded by this

    /**
     * @param unpooled null: it never listens, because it would keep a connection of the pool
     * @param nodeListens whether a node runs that listens, though it may just be about to hear
     */
    EndListener(@Nullable DataSource unpooled, Schema schema, WakeupBus wakeups, BooleanSupplier nodeListens) {
        this.unpooled = unpooled;
        this.schema = schema;
        this.wakeups = wakeups;
        this.nodeListens = nodeListens;
    }

    /** Opens the listener for the first wait. Returns at once. */
    synchronized void open() {
        if (unpooled != null && listener == null && !closed && !nodeListens.getAsBoolean()) {
            NotificationListener opened =
                    new NotificationListener(unpooled, schema, wakeups.heardBy(new Nobody()), () -> {});
            opened.start();
            listener = opened;
        }
    }

    synchronized boolean hears() {
        return listener != null && listener.hearing();
    }

    /** A node of this process hears all there is to hear. */
    void nodeHears() {
        end(false);
    }

    @Override
    public void close() {
        end(true);
    }

    private void end(boolean forGood) {
        NotificationListener opened;
        synchronized (this) {
            closed |= forGood;
            opened = listener;
            listener = null;
        }
        if (opened != null) {
            opened.close();
        }
    }

    /** Runs no jobs. */
    private static final class Nobody implements RemoteWakeups {

        @Override
        public void jobsReady(String queue, int rank, long jobs, int first) {}

        @Override
        public void jobsBack(String queue) {}

        @Override
        public void jobsWaiting(Duration dueIn) {}

        @Override
        public void dueJobsMoved(@Nullable Duration nextDue) {}

        @Override
        public void allHaveHeardOf(long look) {}

        @Override
        public void keysReady(String queue, @Nullable String key, int first) {}

        @Override
        public void attention() {}
    }
}
