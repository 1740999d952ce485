package dev.rowlock.queue.spring;

import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the jobs of the registered listeners while the application context runs: starts last and stops first. May be
 * stopped and started again any number of times, as paused test contexts are. Without listeners it does nothing.
 */
public final class JobListenerContainer implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(JobListenerContainer.class);

    private final JobListenerRegistry registry;
    private final WorkerNode node;
    private final boolean transactions;
    private final boolean keepAlive;
    private final Consumer<List<ListenerDefinition>> check;
    private final KeepAlive alive = new KeepAlive(); // guarded by this
    private volatile boolean running; // written by start and stop, one at a time

    /**
     * @param registry the listeners
     * @param node runs their jobs
     * @param transactions whether the node has a transaction manager
     * @param keepAlive whether the process must not end while its node runs, even if nothing else keeps it
     * @param check looks at the listeners before each start; what it throws stops the start
     */
    public JobListenerContainer(
            JobListenerRegistry registry,
            WorkerNode node,
            boolean transactions,
            boolean keepAlive,
            Consumer<List<ListenerDefinition>> check) {
        this.registry = registry;
        this.node = node;
        this.transactions = transactions;
        this.keepAlive = keepAlive;
        this.check = check;
    }

    /**
     * Starts the node with all listeners that are registered now.
     *
     * @throws InvalidJobListenerException if the listeners contradict one another, or one is transactional and there is no
     *     transaction manager
     */
    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        List<ListenerDefinition> listeners = registry.definitions();
        if (listeners.isEmpty()) {
            log.info("there is no @JobListener: this application enqueues jobs and runs none");
        } else {
            start(listeners);
        }
        running = true;
    }

    private void start(List<ListenerDefinition> listeners) {
        listeners.forEach(this::requireTransactions);
        try {
            check.accept(listeners);
            node.start(listeners);
            if (keepAlive) {
                alive.start();
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidJobListenerException(
                    String.valueOf(e.getMessage()), "Correct the annotations or the property that decides", e);
        }
    }

    private void requireTransactions(ListenerDefinition listener) {
        if (listener.transactional() && listener.transactions() == null && !transactions) {
            throw new InvalidJobListenerException(
                    "@JobListener(transactional = true) %s cannot work: there is no transaction manager for it, or several and none is primary"
                            .formatted(listener.name()),
                    "Define a PlatformTransactionManager for the DataSource that Rowlock uses, mark one of several, or"
                            + " remove transactional = true");
        }
    }

    /** Waits for running handlers up to the drain timeout, then interrupts them. */
    @Override
    public synchronized void stop() {
        if (running) {
            try {
                node.stop();
            } finally {
                alive.stop();
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
            log.warn("stopping went wrong; jobs that were left running are rescued by other nodes", e);
        } finally {
            callback.run();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
