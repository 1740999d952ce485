package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Moves waiting jobs to ready when they are due. Sleeps until the next one is due, or until a wake-up. */
public final class Dispatcher implements Chore {

    private static final int BATCH = 1_000;

    /** Jobs enqueued elsewhere may be due before the next one known here. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);

    /** Where the server refuses one job after the other. */
    private static final Duration AFTER_REFUSALS = Duration.ofSeconds(1);

    private final DispatchDueJobs dispatch;
    private final Wakeups wakeups;
    private final Duration pollInterval;
    private final Supplier<Place> place;
    private final DueTimes times = new DueTimes(System.nanoTime());
    private final DueCursor cursor;
    private final BatchLimit batch = new BatchLimit(BATCH);
    private final RefusedJobs refused = new RefusedJobs("that are due cannot become ready");
    private Trigger trigger = time -> {}; // written before the first run

    /** @param place this node's among all nodes */
    public Dispatcher(DispatchDueJobs dispatch, Wakeups wakeups, Duration pollInterval, Supplier<Place> place) {
        this.dispatch = dispatch;
        this.wakeups = wakeups;
        this.pollInterval = pollInterval;
        this.place = place;
        this.cursor = new DueCursor(() -> place.get().nodes(), System.nanoTime());
    }

    @Override
    public String name() {
        return "dispatcher";
    }

    @Override
    public void triggeredBy(Trigger by) {
        trigger = by;
    }

    /** A job that this process has enqueued is due after this time. Any thread. */
    public void waitingHere(Duration dueIn) {
        long now = System.nanoTime();
        cursor.heard(now + dueIn.toNanos());
        if (dueIn.isZero()) {
            cursor.overdue(); // an instant, or past when its transaction was committed
        }
        times.dueHere(now + dueIn.toNanos());
        trigger.within(left(now));
    }

    /** A job that all nodes have heard of is due after this time. Any thread. */
    public void waitingElsewhere(Duration dueIn) {
        long now = System.nanoTime();
        cursor.heard(now + dueIn.toNanos());
        times.dueForAll(now + dueIn.toNanos());
        trigger.within(left(now));
    }

    /** Another node has moved all that was due; the next one is due after this time, null: none. Any thread. */
    public void movedElsewhere(@Nullable Duration nextDue) {
        long now = System.nanoTime();
        times.movedElsewhere(now, nextDue);
        trigger.within(left(now));
    }

    /** All nodes have heard of this look of this one, and of those before it. Any thread. */
    public void allHaveHeardOf(long look) {
        times.allHaveHeardOf(look);
    }

    @Override
    public Duration runOnce() {
        long begun = System.nanoTime();
        Duration left = left(begun);
        if (left.compareTo(Duration.ZERO) > 0) {
            return left; // somebody else was first
        }
        if (refused.isDue()) {
            refused.tryAgain(this::moveNamed, batch.rows());
        }
        DueTimes.Look look = times.looking(begun);
        DispatchDueJobs.Result result;
        DuePosition from = cursor.next(begun);
        int limit = batch.rows();
        try {
            result = dispatch.run(from, limit, refused.ids());
        } catch (RuntimeException e) {
            failed(begun);
            batch.failed(e);
            return moveApart(from, limit, e);
        } catch (Error e) {
            failed(begun);
            throw e;
        }
        tell(result);
        long ended = System.nanoTime();
        boolean full = result.jobs() >= limit;
        cursor.looked(result, full, ended);
        if (full) {
            batch.worked();
            times.looked(look, ended, result.nextDue(), Duration.ZERO, false);
            return Duration.ZERO;
        }
        boolean tells = result.jobs() > 0 || look.forAll() && isFirstOfMany();
        times.looked(look, ended, result.nextDue(), rest(result.jobs() > 0, ended), tells);
        if (tells) {
            wakeups.dueJobsMoved(result.nextDue(), look.number());
        }
        return left(ended);
    }

    /** The others are about to look for the same. */
    private boolean isFirstOfMany() {
        Place now = place.get();
        return now.nodes() > 1 && now.number() == 0;
    }

    private Duration left(long now) {
        return times.left(now, place.get().number());
    }

    private void failed(long begun) {
        cursor.forget();
        times.failed(begun);
    }

    /** One job that cannot be moved must not keep the others. Returns how long until the next look. */
    private Duration moveApart(DuePosition from, int limit, RuntimeException together) {
        return refused.apart(() -> dispatch.names(from, limit, refused.ids()), this::moveNamed, together)
                ? Duration.ZERO
                : AFTER_REFUSALS;
    }

    private void moveNamed(List<Long> ids) {
        tell(dispatch.named(ids));
    }

    private void tell(DispatchDueJobs.Result result) {
        result.queues().forEach(queue -> queue.wake(wakeups));
    }

    /** Nodes that started together should not look together. */
    private Duration rest(boolean some, long now) {
        Duration poll = some || pollInterval.compareTo(LONGEST_REST) > 0 ? pollInterval : LONGEST_REST;
        Duration front = cursor.untilNextLook(now);
        Duration rest = front.compareTo(poll) < 0 ? front : poll;
        return rest.plusNanos(ThreadLocalRandom.current().nextLong(rest.toNanos() / 10 + 1));
    }

    @Override
    public boolean punctual() {
        return true;
    }
}
