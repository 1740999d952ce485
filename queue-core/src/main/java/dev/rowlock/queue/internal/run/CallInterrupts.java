package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Stop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread of a chunk call: at its timeout, at a stop of the node, and when none of its jobs may go on. Cancelling one of them does not stop the others.
 */
final class CallInterrupts implements Execution.Interrupter {

    private final Set<Execution> goOn = Collections.newSetFromMap(new IdentityHashMap<>()); // guarded by this
    private final Collection<Execution> all = new ArrayList<>(); // guarded by this
    private boolean shutDown; // guarded by this
    private @Nullable Thread thread; // guarded by this; during the call

    /** The calling thread begins a call with at most these jobs. */
    synchronized void begin(List<Execution> jobs) {
        goOn.addAll(jobs);
        all.addAll(jobs);
        thread = Thread.currentThread();
    }

    /** This job is not part of it after all. */
    synchronized void without(Execution job) {
        goOn.remove(job);
        all.remove(job);
    }

    /** The call is over: no interrupt that was meant for it comes any more. */
    synchronized void end() {
        thread = null;
    }

    @Override
    public synchronized void stop(Execution execution, Stop reason, Thread handler) {
        boolean last = goOn.remove(execution) && goOn.isEmpty();
        boolean shutdown = reason == Stop.SHUTDOWN;
        if (shutdown ? !shutDown : last) {
            interrupt();
        }
        shutDown |= shutdown;
    }

    /** The time of the call is up. */
    synchronized void timeOut() {
        if (thread != null) {
            all.forEach(execution -> execution.outOfTime(true));
            interrupt();
        }
    }

    private void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
