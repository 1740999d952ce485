package dev.rowlock.queue.internal.policy;

import java.time.Duration;

/**
 * Time limits of policies.
 *
 * @param answer a policy that takes longer hangs
 * @param hold after an answer, jobs wait for so long for the next one before they go on without it
 * @param renewed what is left of that is written anew when it is less than this
 * @param left another node tries its policy when so little is left
 * @param again chosen jobs that the server refuses to move are tried again so long after
 */
public record PolicyTimes(Duration answer, Duration hold, Duration renewed, Duration left, Duration again) {

    public static final PolicyTimes DEFAULT =
            new PolicyTimes(Duration.ofSeconds(2), PolicyStatements.HOLD, Duration.ofSeconds(8), Duration.ofSeconds(3));

    /** With the usual time for what the server refuses. */
    public PolicyTimes(Duration answer, Duration hold, Duration renewed, Duration left) {
        this(answer, hold, renewed, left, Duration.ofMinutes(1));
    }

    /** The same, so many times as fast: for tests. */
    public PolicyTimes faster(int times) {
        return new PolicyTimes(
                answer.dividedBy(times),
                hold.dividedBy(times),
                renewed.dividedBy(times),
                left.dividedBy(times),
                again.dividedBy(times));
    }
}
