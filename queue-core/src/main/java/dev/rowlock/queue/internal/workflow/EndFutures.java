package dev.rowlock.queue.internal.workflow;

import java.util.concurrent.CompletableFuture;

/** Futures that complete when workflows have ended. */
public interface EndFutures {

    /** Completes when the workflow has ended or does not exist, with any value; exceptionally after a close. A caller that stops waiting must {@linkplain #leave leave}. */
    CompletableFuture<?> await(long workflow);

    void leave(long workflow, CompletableFuture<?> end);
}
