package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.spi.Wakeups;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Wakes workers after the calling thread's transaction has committed, once for all that it enqueued; at once without one.
 * A manager that is told never to synchronize tells nobody of its commits, nor does an open transaction around another
 * one's end: then workers find the jobs by polling.
 */
public final class AfterCommit {

    private final Database database;
    private final Wakeups wakeups;

    public AfterCommit(Database database, Wakeups wakeups) {
        this.database = database;
        this.wakeups = wakeups;
    }

    public void wake(List<NewJob> jobs, TransactionStanding standing) {
        Wakes wakes = new Wakes();
        jobs.forEach(wakes::add);
        wake(wakes, standing);
    }

    public void wake(Wakes wakes, TransactionStanding standing) {
        if (standing == TransactionStanding.AROUND) {
            return;
        }
        Pending pending = pending(standing);
        if (pending == null) {
            wakes.send(wakeups);
        } else {
            pending.wakes.addAll(wakes);
        }
    }

    public void attention(TransactionStanding standing) {
        Wakes wakes = new Wakes();
        wakes.attention();
        wake(wakes, standing);
    }

    /** For a write of which nobody need hear: it must be committed all the same, see {@link Database#mayBeCommitted}. */
    public void quietly(TransactionStanding standing) {
        pending(standing);
    }

    /** This transaction's synchronization: the first enqueue registers it, later ones find it. Null: wake at once. */
    private @Nullable Pending pending(TransactionStanding standing) {
        if (standing != TransactionStanding.INSIDE || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return null;
        }
        for (TransactionSynchronization known : TransactionSynchronizationManager.getSynchronizations()) {
            if (known instanceof Pending pending && pending.wakeups == wakeups) {
                pending.late |= pending.ending;
                return pending;
            }
        }
        Pending pending = new Pending(database, wakeups);
        TransactionSynchronizationManager.registerSynchronization(pending);
        return pending;
    }

    private static final class Pending implements TransactionSynchronization {

        private final Database database;
        private final Wakeups wakeups;
        private final Wakes wakes = new Wakes();
        private boolean ending;
        private boolean late; // something was written after we heard of the end

        Pending(Database database, Wakeups wakeups) {
            this.database = database;
            this.wakeups = wakeups;
        }

        @Override
        public void beforeCompletion() {
            ending = true;
        }

        /** Not afterCommit: another synchronization that throws there would skip this one. */
        @Override
        public void afterCompletion(int status) {
            if (database.mayBeCommitted(status, ending && !late)) {
                wakes.send(wakeups);
            }
        }
    }
}
