package dev.rowlock.queue.chaos.worker;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.MDC;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What user code may leave behind on the thread that called it, and the next one must not find. */
final class Traces {

    private static final String KEY = "left.behind";

    private Traces() {}

    /** Leaves something behind; what, the number says. */
    static void leave(int number) {
        switch (number % 5) {
            case 0 -> Thread.currentThread().interrupt();
            case 1 -> Thread.currentThread().setContextClassLoader(new ClassLoader() {});
            case 2 -> MDC.put(KEY, "yes");
            case 3 -> TransactionSynchronizationManager.initSynchronization();
            default -> TransactionSynchronizationManager.bindResource(KEY, "yes");
        }
    }

    /**
     * What somebody else has left here; nothing, if all is well. It is removed, so that it is found once. Interrupts are not
     * looked for: this job may have been asked to stop by now.
     */
    static List<String> found(boolean transactional) {
        List<String> found = new ArrayList<>();
        if (Thread.currentThread().getContextClassLoader() != Traces.class.getClassLoader()) {
            Thread.currentThread().setContextClassLoader(Traces.class.getClassLoader());
            found.add("a class loader");
        }
        if (MDC.get(KEY) != null) {
            MDC.remove(KEY);
            found.add("a key of the MDC");
        }
        if (!transactional && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.clear();
            found.add("a synchronization");
        }
        if (TransactionSynchronizationManager.unbindResourceIfPossible(KEY) != null) {
            found.add("a resource");
        }
        return found;
    }
}
