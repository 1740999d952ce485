package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.List;

/** Waits for running handlers at a stop, first kindly, then not. */
final class Drain {

    private static final Duration LOOK = Duration.ofMillis(20);

    private Drain() {}

    /** Returns how many handlers had to be interrupted. */
    static int await(List<QueueWorker> queues, Duration drainTimeout, Duration unwind) {
        int interrupted = 0;
        if (!awaitIdle(queues, drainTimeout)) {
            interrupted = queues.stream().mapToInt(QueueWorker::busy).sum();
            queues.forEach(QueueWorker::interruptAll);
            awaitIdle(queues, unwind);
        }
        queues.forEach(QueueWorker::giveUp);
        return interrupted;
    }

    private static boolean awaitIdle(List<QueueWorker> queues, Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (queues.stream().anyMatch(queue -> queue.busy() > 0)) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            try {
                Signal.pause(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
