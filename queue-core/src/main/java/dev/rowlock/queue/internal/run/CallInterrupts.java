package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Stop;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread of a call with many jobs: at its timeout, at a stop of the node, and when none of its jobs may go on.
 * Cancelling one of them does not stop the others.
 */
final class CallInterrupts implements Execution.Interrupter {

    private final Set<Execution> goOn = new HashSet<>(); // guarded by this
    private final Set<Execution> begun = new HashSet<>(); // guarded by this; also those that were stopped
    private boolean shutDown; // guarded by this
    private @Nullable Thread thread; // guarded by this; during the call

    /** The calling thread begins a call with at most these jobs. */
    synchronized void begin(List<CalledJob> jobs) {
        jobs.forEach(job -> goOn.add(job.execution));
        begun.addAll(goOn);
        thread = Thread.currentThread();
    }

    /** This job is not part of it after all. */
    synchronized void without(Execution job) {
        goOn.remove(job);
        begun.remove(job);
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
            begun.forEach(execution -> execution.outOfTime(true));
            interrupt();
        }
    }

    private void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
