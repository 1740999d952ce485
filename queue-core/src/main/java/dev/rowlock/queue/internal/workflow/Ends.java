package dev.rowlock.queue.internal.workflow;

import java.util.concurrent.CompletableFuture;

/** Tells when workflows have ended, or are nowhere. */
public interface Ends {

    /** Completes then, with whatever; exceptionally if nobody looks any more. Whoever does not wait any more {@linkplain #leave leaves}. */
    CompletableFuture<?> await(long workflow);

    void leave(long workflow, CompletableFuture<?> end);
}
