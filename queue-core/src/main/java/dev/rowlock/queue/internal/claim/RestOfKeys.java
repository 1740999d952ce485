package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.store.gate.CancelRest;
import dev.rowlock.queue.internal.store.gate.CancelRest.Cancelled;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels ready jobs of keys in order of which another job has failed, where that is wanted. They keep their place until somebody does: who finds them. */
final class RestOfKeys {

    private static final Logger log = LoggerFactory.getLogger(RestOfKeys.class);

    private final String queue;
    private final CancelRest cancel;
    private final Runnable changed;

    /** @param changed called when jobs of workflows were cancelled */
    RestOfKeys(String queue, CancelRest cancel, Runnable changed) {
        this.queue = queue;
        this.cancel = cancel;
        this.changed = changed;
    }

    /** Returns whether there were any. */
    boolean cancel(List<String> keys) {
        if (keys.isEmpty()) {
            return false;
        }
        Cancelled cancelled = cancel.run(queue, keys);
        log.info("queue '{}': cancelled {} jobs, because others of their keys have failed", queue, cancelled.jobs());
        if (cancelled.ofWorkflows()) {
            changed.run();
        }
        return cancelled.jobs() > 0;
    }
}
