package dev.rowlock.queue;

import dev.rowlock.queue.internal.wake.RemoteWakeups;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes down who was told what. */
public final class RecordedWakeups implements Wakeups, RemoteWakeups {

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final List<Long> looks = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
    private final List<Integer> firsts = new CopyOnWriteArrayList<>();

    public List<String> heard() {
        return heard;
    }

    /** Of which looks this node tells the others, and which of them all have heard of. */
    public List<Long> looks() {
        return looks;
    }

    /** The next that nobody has asked for yet; null if none comes. */
    public @Nullable String next() throws InterruptedException {
        return unread.poll(20, TimeUnit.SECONDS);
    }

    /** Of the jobs heard of in other processes: which node was to look first. */
    public List<Integer> firsts() {
        return firsts;
    }

    @Override
    public void jobsReady(String queue, int rank, long jobs) {
        hear("%d ready in %s from rank %d".formatted(jobs, queue, rank));
    }

    @Override
    public void jobsReady(String queue, int rank, long jobs, int first) {
        firsts.add(first);
        jobsReady(queue, rank, jobs);
    }

    @Override
    public void jobsBack(String queue, int rank, long jobs) {
        hear("%d back in %s from rank %d".formatted(jobs, queue, rank));
    }

    @Override
    public void jobsBack(String queue) {
        hear("some back in " + queue);
    }

    @Override
    public void jobsWaiting(Duration dueIn) {
        hear("waiting " + dueIn);
    }

    @Override
    public void dueJobsMoved(@Nullable Duration nextDue, long look) {
        looks.add(look);
        dueJobsMoved(nextDue);
    }

    @Override
    public void dueJobsMoved(@Nullable Duration nextDue) {
        hear("moved, next in " + nextDue);
    }

    @Override
    public void allHaveHeardOf(long look) {
        looks.add(look);
    }

    @Override
    public void keysReady(String queue, @Nullable String key) {
        hear(key == null ? "keys in " + queue : "key " + key + " in " + queue);
    }

    @Override
    public void keysReady(String queue, @Nullable String key, int first) {
        firsts.add(first);
        keysReady(queue, key);
    }

    @Override
    public void attention() {
        hear("attention");
    }

    private void hear(String event) {
        heard.add(event);
        unread.add(event);
    }
}
