package dev.rowlock.queue.chaos.proxy;

import java.time.Duration;

/** What every piece of data passes through: open, slow, or closed. */
final class Gate {

    private boolean closed; // guarded by this
    private long delayMillis; // guarded by this

    synchronized void close() {
        closed = true;
    }

    synchronized void delay(Duration time) {
        delayMillis = time.toMillis();
    }

    synchronized void open() {
        closed = false;
        delayMillis = 0;
        notifyAll();
    }

    /** Returns when data may pass. Waits as long as the gate is closed: whoever closes it opens it again. */
    synchronized void pass() throws InterruptedException {
        if (delayMillis > 0) {
            wait(delayMillis);
        }
        while (closed) {
            wait();
        }
    }
}
