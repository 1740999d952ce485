package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.schedule.FireSchedules.Fired;
import dev.rowlock.queue.internal.schedule.FireSchedules.Look;
import dev.rowlock.queue.internal.schedule.FireSchedules.Tick;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Enqueues the jobs of recurring runs that are due. Sleeps until the next one is due, or until a recurring job changes. */
final class Scheduler implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    private static final int BATCH = 500;

    /** In one statement; a single recurring job may have a thousand missed runs. */
    private static final int MOST_JOBS = 2_000;

    /** What was made or changed while this node did not hear of it may be due sooner than all that it knows. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(15);

    /** While a run waits for the end of a job. */
    private static final Duration REST_BEFORE_QUEUED = Duration.ofMillis(250);

    /** While somebody else changes those that are due. */
    private static final Duration REST_BEFORE_LOCKED = Duration.ofMillis(100);

    /** Nodes look one after the other, so that mostly the first one does the work. */
    private static final Duration BEHIND_EACH_OTHER = Duration.ofMillis(10);

    private static final Duration TRY_REFUSED_AGAIN = Duration.ofMinutes(1);

    private final FireSchedules fire;
    private final JobStatements jobs;
    private final Wakeups wakeups;
    private final Supplier<? extends Collection<String>> declared;
    private final IntSupplier place;
    private final Map<String, Long> refused = new HashMap<>(); // until when, monotonic
    private final Set<Long> cancelled = new HashSet<>();

    /**
     * @param declared the names that this node declares
     * @param place this node's among all nodes, 0 for the first
     */
    Scheduler(Database database, Wakeups wakeups, Supplier<? extends Collection<String>> declared, IntSupplier place) {
        this.fire = new FireSchedules(database);
        this.jobs = new JobStatements(database);
        this.wakeups = wakeups;
        this.declared = declared;
        this.place = place;
    }

    @Override
    public String name() {
        return "scheduler";
    }

    @Override
    public boolean punctual() {
        return true;
    }

    @Override
    public boolean dueAfterChange() {
        return true;
    }

    @Override
    public Duration runOnce() {
        refused.values().removeIf(until -> until - System.nanoTime() <= 0);
        Look look = fire.look(declared.get(), refused.keySet(), BATCH);
        look.unreadable().forEach(this::refuse);
        List<Tick> ticks = ticks(look);
        int fired = ticks.isEmpty() ? 0 : fire(ticks);
        boolean ended = cancel(look.cancel());
        if (fired > 0 || ended) {
            return Duration.ZERO;
        }
        return ticks.isEmpty() ? rest(look) : REST_BEFORE_LOCKED;
    }

    private List<Tick> ticks(Look look) {
        List<Tick> ticks = new ArrayList<>();
        for (StoredSchedule due : look.due()) {
            try {
                ticks.add(Runs.due(due, look.now()));
            } catch (RuntimeException e) { // a row that was written by hand
                refuse(due.name(), e);
            }
        }
        return ticks;
    }

    /** Returns how many have moved on. */
    private int fire(List<Tick> ticks) {
        int fired = 0;
        List<Tick> some = new ArrayList<>();
        int jobs = 0;
        for (Tick tick : ticks) {
            if (!some.isEmpty() && jobs + tick.runs().size() > MOST_JOBS) {
                fired += fireApart(some);
                some.clear();
                jobs = 0;
            }
            some.add(tick);
            jobs += tick.runs().size();
        }
        return fired + fireApart(some);
    }

    /** One that the server refuses must not keep the others. */
    private int fireApart(List<Tick> ticks) {
        try {
            return fireTogether(ticks);
        } catch (RuntimeException together) {
            BatchSplitter.requireAnswer(together);
            AtomicInteger fired = new AtomicInteger();
            BatchSplitter.refused(List.copyOf(ticks), some -> fired.addAndGet(fireTogether(some)), together)
                    .forEach((tick, e) -> refuse(tick.schedule().name(), e));
            return fired.get();
        }
    }

    private int fireTogether(List<Tick> ticks) {
        List<Fired> fired = fire.run(ticks);
        for (Fired one : fired) {
            if (one.jobs() > 0 && one.key() != null) {
                wakeups.keysReady(one.queue(), one.key());
            } else if (one.jobs() > 0) {
                wakeups.jobsReady(one.queue(), one.rank(), one.jobs());
            }
        }
        return fired.size();
    }

    private void refuse(String name, RuntimeException e) {
        log.error(
                "enqueuing the jobs of recurring job '{}' failed; will retry in {}",
                name,
                DurationText.of(TRY_REFUSED_AGAIN),
                e);
        refused.put(name, System.nanoTime() + TRY_REFUSED_AGAIN.toNanos());
    }

    /** Each node asks once for each job: the one that enqueued the run may be gone. Returns whether any has ended by that. */
    private boolean cancel(List<Long> ids) {
        cancelled.retainAll(ids);
        boolean ended = false;
        for (long id : ids) {
            if (cancelled.contains(id)) {
                continue;
            }
            if (jobs.cancelIdle(id, null)) {
                ended = true;
            } else if (jobs.requestCancel(id, null)) {
                cancelled.add(id);
                wakeups.attention();
            } // otherwise it has ended, or changes rooms at this moment: the next look tells
        }
        return ended;
    }

    private Duration rest(Look look) {
        Duration longest = look.queued() ? REST_BEFORE_QUEUED : LONGEST_REST;
        Duration next = look.nextIn();
        if (next == null) {
            return longest;
        }
        Duration until = next.plus(BEHIND_EACH_OTHER.multipliedBy(place.getAsInt()));
        return until.compareTo(longest) < 0 ? until : longest;
    }
}
