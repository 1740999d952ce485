package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.spi.Wakeups;
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
}
