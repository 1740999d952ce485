package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.enqueue.ReleaseFollowers.Stretch;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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

        /** Where the server refuses one job after the other. */
        private static final Duration AFTER_REFUSALS = Duration.ofSeconds(1);

        private final ReleaseFollowers release;
        private final Wakeups wakeups;
        private final BatchLimit batch = new BatchLimit(STRETCH);
        private final RefusedJobs refused = new RefusedJobs("that are to run once more cannot become due");
        private final RefusedJobs refusedKeys =
                new RefusedJobs("that were cancelled cannot give their unique key back");
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
            if (refused.isDue()) {
                refused.tryAgain(this::releaseNamed, batch.rows());
            }
            if (refusedKeys.isDue()) {
                refusedKeys.tryAgain(release::giveKeysBack, batch.rows());
            }
            long from = behind;
            int limit = batch.rows();
            Stretch stretch;
            try {
                stretch = release.run(from, limit, refused.ids());
            } catch (RuntimeException e) {
                batch.failed(e);
                return releaseApart(from, limit, e);
            }
            tell(stretch);
            Long end = stretch.end();
            behind = end == null ? ReleaseFollowers.FRONT : end; // also if a key cannot be given back
            left += stretch.left() - stretch.cancelled().size() + giveBack(stretch.cancelled());
            if (end != null) {
                batch.worked();
                return Duration.ZERO;
            }
            boolean some = left > 0;
            left = 0;
            return some ? REST_BEFORE_END : LONGEST_REST;
        }

        /** One job that cannot be changed must not keep the others. Returns how long until the next look. */
        private Duration releaseApart(long from, int limit, RuntimeException together) {
            return refused.apart(() -> release.names(from, limit, refused.ids()), this::releaseNamed, together)
                    ? Duration.ZERO
                    : AFTER_REFUSALS;
        }

        private void releaseNamed(List<Long> ids) {
            tell(release.named(ids));
        }

        private void tell(Stretch stretch) {
            if (stretch.released() > 0) {
                wakeups.jobsWaiting(Duration.ZERO);
            }
        }

        /** Returns how many wait for the next time. */
        private int giveBack(List<Long> cancelled) {
            List<Long> ids = new ArrayList<>(cancelled);
            ids.removeAll(refusedKeys.ids());
            if (ids.isEmpty()) {
                return 0;
            }
            try {
                return ids.size() - release.giveKeysBack(ids);
            } catch (RuntimeException e) {
                refusedKeys.apart(() -> ids, release::giveKeysBack, e);
                return ids.size();
            }
        }
    }
}
