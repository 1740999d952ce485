package dev.rowlock.queue.spring;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the jobs of the listeners while the application context runs: starts last and stops first. May be stopped and
 * started again any number of times, as paused test contexts are. Without listeners it does nothing.
 */
public final class JobListenerContainer implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(JobListenerContainer.class);

    private final Rowlock rowlock;
    private final Consumer<List<ListenerDefinition>> check;
    private volatile boolean running; // written by start and stop, one at a time

    /**
     * @param rowlock runs the jobs
     * @param check looks at the listeners, if there are any, before each start; what it throws stops the start
     */
    public JobListenerContainer(Rowlock rowlock, Consumer<List<ListenerDefinition>> check) {
        this.rowlock = rowlock;
        this.check = check;
    }

    /**
     * Starts to run the jobs of all listeners that there are now.
     *
     * @throws InvalidJobListenerException if the listeners contradict one another, or one is transactional and there is no
     *     transaction manager
     */
    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        try {
            List<ListenerDefinition> listeners = rowlock.listeners();
            if (!listeners.isEmpty()) {
                check.accept(listeners);
            }
            rowlock.start();
        } catch (IllegalArgumentException e) {
            throw new InvalidJobListenerException(
                    String.valueOf(e.getMessage()), "Correct the annotations or the property that decides", e);
        }
        running = true;
    }

    /** Waits for running handlers up to the drain timeout, then interrupts them. */
    @Override
    public synchronized void stop() {
        if (running) {
            try {
                rowlock.stop();
            } finally {
                running = false;
            }
        }
    }

    /** Drains on a thread of its own, so that other parts of the application can stop meanwhile. */
    @Override
    public void stop(Runnable callback) {
        new Thread(() -> stopThen(callback), "rowlock-stop").start();
    }

    private void stopThen(Runnable callback) {
        try {
            stop();
        } catch (RuntimeException e) {
            log.warn("stopping the node failed; other nodes rescue the jobs that it left running", e);
        } finally {
            callback.run();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
