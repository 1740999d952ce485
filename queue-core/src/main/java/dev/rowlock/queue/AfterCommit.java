package dev.rowlock.queue;

import dev.rowlock.queue.internal.store.NewJob;
import dev.rowlock.queue.spi.Wakeups;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Wakes workers after the calling thread's transaction has committed, once for all that it enqueued; at once without one. */
final class AfterCommit {

    private final Wakeups wakeups;

    AfterCommit(Wakeups wakeups) {
        this.wakeups = wakeups;
    }

    void wake(List<NewJob> jobs) {
        Wakes wakes = new Wakes();
        jobs.forEach(wakes::add);
        wake(wakes);
    }

    void wake(Wakes wakes) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            wakes.send(wakeups);
            return;
        }
        pending().wakes.addAll(wakes);
    }

    void attention() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            wakeups.attention();
            return;
        }
        pending().attention = true;
    }

    /** This transaction's synchronization: the first enqueue registers it, later ones find it. */
    private Pending pending() {
        for (TransactionSynchronization known : TransactionSynchronizationManager.getSynchronizations()) {
            if (known instanceof Pending pending && pending.wakeups == wakeups) {
                return pending;
            }
        }
        Pending pending = new Pending(wakeups);
        TransactionSynchronizationManager.registerSynchronization(pending);
        return pending;
    }

    private static final class Pending implements TransactionSynchronization {

        private final Wakeups wakeups;
        private final Wakes wakes = new Wakes();
        private boolean attention;

        Pending(Wakeups wakeups) {
            this.wakeups = wakeups;
        }

        @Override
        public void afterCommit() {
            wakes.send(wakeups);
            if (attention) {
                wakeups.attention();
            }
        }
    }
}
