package dev.rowlock.queue;

import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down who was told what. */
final class RecordedWakeups implements Wakeups {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    List<String> heard() {
        return heard;
    }

    @Override
    public void jobsReady(String queue, int rank) {
        heard.add("ready " + queue + " " + rank);
    }

    @Override
    public void jobsWaiting(Duration dueIn) {
        heard.add("waiting " + dueIn);
    }

    @Override
    public void attention() {
        heard.add("attention");
    }
}
