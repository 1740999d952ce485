package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.claim.Fetcher;
import dev.rowlock.queue.internal.claim.Fetchers;
import dev.rowlock.queue.internal.janitor.Janitor;
import dev.rowlock.queue.internal.wake.RemoteWakeups;
import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Passes wake-ups from other processes to the fetchers and the janitor of this node.
 *
 * @param changed called when an operator has changed something
 */
record RemoteWakeupHandler(Fetchers fetchers, Janitor janitor, Runnable changed) implements RemoteWakeups {

    @Override
    public void jobsReady(String queue, int rank, long jobs, int first, @Nullable Connection connection) {
        fetchers.of(queue, fetcher -> fetcher.jobsHeard(rank, jobs, first, connection));
    }

    @Override
    public void jobsBack(String queue) {
        fetchers.of(queue, Fetcher::jobsBack);
    }

    @Override
    public void jobsWaiting(Duration dueIn) {
        janitor.jobsWaitingElsewhere(dueIn);
    }

    @Override
    public void dueJobsMoved(@Nullable Duration nextDue, @Nullable String message) {
        janitor.dueJobsMoved(nextDue, message);
    }

    @Override
    public void heard(String message) {
        janitor.heard(message);
    }

    @Override
    public void keysReady(String queue, @Nullable String key, int first) {
        fetchers.of(queue, fetcher -> fetcher.keysHeard(key, first));
    }

    @Override
    public void attention() {
        changed.run();
    }
}
