package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.enqueue.ReleaseFollowers.Stretch;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Chore for jobs that run once more after another one. */
public final class OnceMoreFeature implements Feature {

    private final Database database;
    private final Wakeups wakeups;

    public OnceMoreFeature(Database database, Wakeups wakeups) {
        this.database = database;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "once-more";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        return List.of(new Followers(new ReleaseFollowers(database), wakeups));
    }

    /** Makes jobs due that run once more after another one, soon after that one's end. */
    static final class Followers implements Chore {

        private static final int STRETCH = 1_000;

        /** What waits may have come while this node did not hear of it. */
        private static final Duration LONGEST_REST = Duration.ofSeconds(15);

        /** While a job waits for the end of another one. */
        private static final Duration REST_BEFORE_END = Duration.ofMillis(250);

        private final ReleaseFollowers release;
        private final Wakeups wakeups;
        private final RefusedJobs refused = new RefusedJobs("that are to run once more cannot become due", STRETCH);
        private final RefusedJobs refusedKeys =
                new RefusedJobs("that were cancelled cannot give their unique key back", STRETCH);
        private long behind = ReleaseFollowers.FRONT;
        private int left;

        Followers(ReleaseFollowers release, Wakeups wakeups) {
            this.release = release;
            this.wakeups = wakeups;
        }

        @Override
        public String name() {
            return "once more";
        }

        @Override
        public boolean dueAfterChange() {
            return true;
        }

        @Override
        public Duration runOnce() {
            refused.tryAgain();
            refusedKeys.tryAgain();
            long from = behind;
            Stretch stretch = refused.move(
                    STRETCH, rows -> release.run(from, rows, refused.ids()), () -> release.first(from, refused.ids()));
            if (stretch.released() > 0) {
                wakeups.jobsWaiting(Duration.ZERO);
            }
            Long end = stretch.end();
            behind = end == null ? ReleaseFollowers.FRONT : end; // also if a key cannot be given back
            left += stretch.left() - stretch.cancelled().size() + giveBack(stretch.cancelled());
            if (refused.worked(end == null ? 0 : STRETCH)) {
                return Duration.ZERO;
            }
            boolean some = left > 0;
            left = 0;
            return some ? REST_BEFORE_END : LONGEST_REST;
        }

        /** Returns how many wait for the next time. */
        private int giveBack(List<Long> cancelled) {
            AtomicInteger wait = new AtomicInteger();
            refusedKeys.these(cancelled, some -> wait.addAndGet(some.size() - release.giveKeysBack(some)));
            return wait.get();
        }
    }
}
