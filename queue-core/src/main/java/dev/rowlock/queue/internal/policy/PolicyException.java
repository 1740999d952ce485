package dev.rowlock.queue.internal.policy;

import org.jspecify.annotations.Nullable;

/** A policy gave no valid answer: the jobs of its queue will run without it. */
final class PolicyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean asked;

    private PolicyException(String message, boolean asked, @Nullable Throwable cause) {
        super(message, cause);
        this.asked = asked;
    }

    /**
     * It was asked.
     *
     * @param cause what it has thrown; null: nothing
     */
    static PolicyException of(String queue, String what, @Nullable Throwable cause) {
        return new PolicyException("queue '%s': its policy %s".formatted(queue, what), true, cause);
    }

    /** It is not asked. */
    static PolicyException withoutEffect(String queue) {
        return new PolicyException(
                "queue '%s': its policy has no effect, because the jobs of each key run in order; remove in-order or the policy"
                        .formatted(queue),
                false,
                null);
    }

    /** Whether it was asked, and will be again. */
    boolean asked() {
        return asked;
    }
}
