package dev.rowlock.queue.internal.worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observers watch; nothing that goes wrong in one may touch a job. */
final class Observers {

    private static final Logger log = LoggerFactory.getLogger(Observers.class);

    private Observers() {}

    static void quietly(Runnable event) {
        try {
            event.run();
        } catch (Throwable e) { // user code
            log.warn("an observer failed; the job is not affected", e);
        }
    }
}
