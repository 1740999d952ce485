package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TransactionStanding;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import dev.rowlock.queue.internal.store.gate.StoreLimits;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.operate.Actor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limits, as the database holds them. Claims read them there: nobody keeps a copy. */
public final class StoredQueueLimits implements QueueLimits {

    private final Database database;
    private final AfterCommit afterCommit;
    private final StoreLimits store;
    private final Actor actor;

    public StoredQueueLimits(Database database, AfterCommit afterCommit) {
        this(database, afterCommit, new StoreLimits(database), Actor.APPLICATION);
    }

    private StoredQueueLimits(Database database, AfterCommit afterCommit, StoreLimits store, Actor actor) {
        this.database = database;
        this.afterCommit = afterCommit;
        this.store = store;
        this.actor = actor;
    }

    @Override
    public QueueLimits by(String who, @Nullable String why) {
        return new StoredQueueLimits(database, afterCommit, store, new Actor(who, why));
    }

    @Override
    public void set(QueueLimit limit) {
        TransactionStanding standing = database.requireWritable("set a limit");
        store.set(
                limit,
                note(
                        "set limit",
                        limit.queue(),
                        "running %s, per key %s".formatted(limit.maxRunning(), limit.maxRunningPerKey())));
        wake(limit.queue(), standing);
    }

    @Override
    public boolean remove(String queue) {
        TransactionStanding standing = database.requireWritable("remove a limit");
        boolean removed = store.remove(Names.queue(queue), note("remove limit", queue, null));
        wake(queue, standing);
        return removed;
    }

    @Override
    public List<QueueLimit> all() {
        return store.all();
    }

    /** What was held up may run now. Who has claimed plain jobs only learns that there is a limit. */
    private void wake(String queue, TransactionStanding standing) {
        Wakes wakes = new Wakes();
        wakes.keys(queue);
        afterCommit.wake(wakes, standing);
    }

    private AuditNote note(String action, String queue, @Nullable String detail) {
        return new AuditNote(actor.who(), actor.why(), action, "queue " + queue, detail);
    }
}
