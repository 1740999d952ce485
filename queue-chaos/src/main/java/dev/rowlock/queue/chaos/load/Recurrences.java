package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.chaos.load.Work.Tick;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Recurring jobs, one after the other, each due every second: a clock that steps silences one for as long as it stepped, and the next
 * one begins anew. Not thread-safe.
 */
public final class Recurrences {

    /** How long each is there. */
    private static final Duration LIFE = Duration.ofSeconds(12);

    private static final Duration PAUSE = Duration.ofMillis(200);

    /** The database may be away; afterwards it answers. */
    private static final int TRIES = 600;

    /**
     * One of them.
     *
     * @param made when it was to be made, and
     * @param gone when it was certainly removed, in nanos
     */
    public record Life(String name, long made, long gone) {}

    private final RecurringJobs recurring;
    private final Queue<Life> lives = new ConcurrentLinkedQueue<>();
    private int made;
    private long since;

    Recurrences(RecurringJobs recurring) {
        this.recurring = recurring;
    }

    /** All that are gone. */
    public List<Life> lives() {
        return List.copyOf(lives);
    }

    /** Replaces the one that is there when its time is up. */
    void next() {
        if (made > 0 && System.nanoTime() - since < LIFE.toNanos()) {
            return;
        }
        remove();
        since = System.nanoTime();
        made++;
        RecurringJob each = RecurringJob.of(name(), Schedule.every(Duration.ofSeconds(1)), new Tick(0, Act.SLEEP, 0))
                .overlap(Overlap.ALLOW)
                .missed(MissedRuns.runAll(MissedRuns.MAX_RUNS, Duration.ofDays(1)));
        persistently(() -> {
            if (recurring.find(each.name()).isEmpty()) { // what a call that failed has made is there
                recurring.create(each);
            }
        });
    }

    /** Removes the one that is there. */
    void remove() {
        if (made > 0) {
            persistently(() -> recurring.delete(name()));
            lives.add(new Life(name(), since, System.nanoTime()));
        }
    }

    private String name() {
        return "each-second-" + made;
    }

    static void persistently(Runnable call) {
        for (int tries = 1; ; tries++) {
            try {
                call.run();
                return;
            } catch (RuntimeException e) {
                if (tries == TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }
}
