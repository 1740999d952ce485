package dev.rowlock.queue.internal.dead;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.dead.DeadJobListeners.Told;
import dev.rowlock.queue.internal.dead.TellOfDead.Enqueued;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Chore that tells listeners of the deaths of their jobs: at once of those that this node has recorded, of others within seconds. */
public final class DeadFeature implements Feature {

    private final Database database;
    private final Wakeups wakeups;
    private final Supplier<List<ListenerDefinition>> listeners;
    private volatile Set<String> types = Set.of(); // of the node that was started last
    private volatile Runnable look = () -> {}; // as above

    /** @param listeners those of the node, asked at each start */
    public DeadFeature(Database database, Wakeups wakeups, Supplier<List<ListenerDefinition>> listeners) {
        this.database = database;
        this.wakeups = wakeups;
        this.listeners = listeners;
    }

    /** Whether any of them wants to be told: without one, a node needs no thread for it. */
    public static boolean wanted(List<ListenerDefinition> listeners) {
        return !DeadJobListeners.told(listeners).isEmpty();
    }

    @Override
    public String name() {
        return "dead";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        List<Told> told = DeadJobListeners.told(listeners.get());
        types = told.stream().map(Told::type).collect(Collectors.toUnmodifiableSet());
        return List.of(new Telling(new TellOfDead(database, told)));
    }

    /** Hears of deaths on this node. */
    public JobObserver observer() {
        return new JobObserver() {
            @Override
            public boolean immediate() {
                return true;
            }

            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                if (outcome instanceof Outcome.Failed && types.contains(job.type())) {
                    look.run();
                }
            }

            @Override
            public void rescued(int jobs, int quarantined) {
                if (quarantined > 0) {
                    look.run();
                }
            }
        };
    }

    private final class Telling implements Chore {

        private static final int BATCH = 200;

        /** Other nodes bury jobs as well. */
        private static final Duration REST = Duration.ofSeconds(5);

        /** A clock that was ahead may have hidden deaths until then. */
        private static final Duration NOTE_AGAIN = Duration.ofMinutes(1);

        private final TellOfDead tell;
        private final BatchLimit batch = new BatchLimit(BATCH);
        private final RefusedJobs refused = new RefusedJobs("have died, and their onDead cannot be enqueued");
        private long noteAt = System.nanoTime();

        Telling(TellOfDead tell) {
            this.tell = tell;
        }

        @Override
        public String name() {
            return "on dead";
        }

        @Override
        public void triggeredBy(Trigger trigger) {
            look = trigger::now;
        }

        @Override
        public Duration runOnce() {
            if (noteAt - System.nanoTime() <= 0) {
                tell.noteListeners();
                noteAt = System.nanoTime() + NOTE_AGAIN.toNanos();
            }
            if (refused.isDue()) {
                refused.tryAgain(this::tellNamed, batch.rows());
            }
            int limit = batch.rows();
            try {
                if (wake(tell.some(limit, refused.ids())) < limit) {
                    return REST;
                }
                batch.worked();
                return Duration.ZERO;
            } catch (RuntimeException together) {
                batch.failed(together);
                refused.apart(() -> tell.names(limit, refused.ids()), this::tellNamed, together);
                return Duration.ZERO;
            }
        }

        private void tellNamed(List<Long> ids) {
            wake(tell.named(ids));
        }

        /** Returns how many there were. */
        private long wake(List<Enqueued> some) {
            some.forEach(jobs -> wakeups.jobsReady(jobs.queue(), jobs.rank(), jobs.jobs()));
            return some.stream().mapToLong(Enqueued::jobs).sum();
        }
    }
}
