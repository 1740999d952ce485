package dev.rowlock.queue;

import dev.rowlock.queue.internal.wake.Hearsay;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Writes down who was told what. */
final class RecordedWakeups implements Wakeups, Hearsay {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    List<String> heard() {
        return heard;
    }

    @Override
    public void jobsReady(String queue, int rank, long jobs) {
        heard.add("%d ready in %s from rank %d".formatted(jobs, queue, rank));
    }

    @Override
    public void jobsReady(String queue, int rank, long jobs, int turn, @Nullable Connection line) {
        jobsReady(queue, rank, jobs);
    }

    @Override
    public void jobsWaiting(Duration dueIn) {
        heard.add("waiting " + dueIn);
    }

    @Override
    public void dueJobsMoved(@Nullable Duration nextDue) {
        heard.add("moved, next in " + nextDue);
    }

    @Override
    public void attention() {
        heard.add("attention");
    }
}
