package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.SlowDownException;
import dev.rowlock.queue.operate.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Limits in the database. Claims read them there; nodes keep no copy. */
public final class StoredQueueLimits implements QueueLimits {

    private static final int MOST_KEYS = 10_000;
    private static final int MOST_WEIGHT = 1_000;

    private final Database database;
    private final AfterCommit afterCommit;
    private final LimitStatements store;
    private final Actor actor;

    public StoredQueueLimits(Database database, AfterCommit afterCommit) {
        this(database, afterCommit, Actor.APPLICATION);
    }

    private StoredQueueLimits(Database database, AfterCommit afterCommit, Actor actor) {
        this.database = database;
        this.afterCommit = afterCommit;
        this.store = new LimitStatements(database);
        this.actor = actor;
    }

    @Override
    public QueueLimits by(String who, @Nullable String why) {
        return new StoredQueueLimits(database, afterCommit, new Actor(who, why));
    }

    @Override
    public void set(QueueLimit limit) {
        TransactionStanding standing = database.requireWritable("set a limit");
        store.set(limit, note("set limit", limit.queue(), limit.toString()));
        wake(limit.queue(), standing);
    }

    @Override
    public QueueLimit change(String queue, UnaryOperator<QueueLimit> change) {
        TransactionStanding standing = database.requireWritable("change a limit");
        QueueLimit none = QueueLimit.of(queue);
        QueueLimit changed = database.joinedAtomically(standing, connection -> {
            QueueLimit next = change.apply(store.locked(connection, queue).orElse(none));
            if (!next.queue().equals(none.queue())) {
                throw new IllegalArgumentException("a change of the limit of queue '%s' cannot be about queue '%s'"
                        .formatted(queue, next.queue()));
            }
            store.set(connection, next, note("set limit", queue, next.toString()));
            return next;
        });
        wake(queue, standing);
        return changed;
    }

    @Override
    public boolean remove(String queue) {
        TransactionStanding standing = database.requireWritable("remove a limit");
        boolean removed = store.remove(Names.queue(queue), note("remove limit", queue, null));
        wake(queue, standing);
        return removed;
    }

    @Override
    public Optional<QueueLimit> find(String queue) {
        return store.find(Names.queue(queue));
    }

    @Override
    public List<QueueLimit> all() {
        return store.all();
    }

    @Override
    public void weight(String queue, String key, int weight) {
        if (weight < 1 || weight > MOST_WEIGHT) {
            throw new IllegalArgumentException("a weight of %d is not allowed: 1 to %d".formatted(weight, MOST_WEIGHT));
        }
        database.requireWritable("set a weight");
        store.setWeight(
                Names.queue(queue),
                named(key),
                weight,
                note("set weight", queue, "key %s, weight %d".formatted(key, weight)));
    }

    @Override
    public Map<String, Integer> weights(String queue) {
        return store.weights(Names.queue(queue));
    }

    @Override
    public Map<String, Integer> weights(String queue, int limit) {
        return store.weights(Names.queue(queue), required(limit));
    }

    @Override
    public boolean slowDown(String queue, @Nullable String key, Duration time) {
        String whose = key == null ? "the queue" : "key " + named(key);
        if (!time.isZero()) {
            Duration valid = new SlowDownException(time).retryAfter();
            return store.slowDown(Names.queue(queue), key, valid, note("slow down", queue, whose + " for " + time));
        }
        TransactionStanding standing = database.requireWritable("end a slow-down");
        boolean ended = store.slowDown(Names.queue(queue), key, time, note("end slow-down", queue, whose));
        wake(queue, standing);
        return ended;
    }

    @Override
    public List<BlockedKey> blockedKeys(String queue, int limit) {
        return store.blockedKeys(Names.queue(queue), required(limit));
    }

    @Override
    public int skip(String queue, String key) {
        TransactionStanding standing = database.requireWritable("skip dead jobs");
        int skipped = store.skipDead(Names.queue(queue), named(key), note("skip", queue, "key " + key));
        if (skipped > 0) {
            wake(queue, standing);
        }
        return skipped;
    }

    @Override
    public List<FullKey> fullKeys(String queue, int limit) {
        return store.fullKeys(Names.queue(queue), required(limit));
    }

    /** Or says what is allowed. */
    private static String named(String key) {
        return Objects.requireNonNull(JobOptions.NONE.key(key).key());
    }

    private static int required(int limit) {
        if (limit < 1 || limit > MOST_KEYS) {
            throw new IllegalArgumentException("a limit of %d is not allowed: 1 to %d".formatted(limit, MOST_KEYS));
        }
        return limit;
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
