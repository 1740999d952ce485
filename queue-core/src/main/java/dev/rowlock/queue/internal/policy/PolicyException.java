package dev.rowlock.queue.internal.policy;

import org.jspecify.annotations.Nullable;

/** A policy gave no answer that could be used: the jobs of its queue will go on without it. */
final class PolicyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PolicyException(String queue, String what, @Nullable Throwable cause) {
        super(
                "queue '%s': its policy %s; unless it answers soon, jobs run in their normal order"
                        .formatted(queue, what),
                cause);
    }
}
