package dev.rowlock.queue.test;

import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ManualNode.Attempt;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What {@link TestJobs#drain()} did.
 *
 * @param attempts in the order in which they ran, each with how it ended; one for each time that a job ran
 */
public record DrainResult(List<Attempt> attempts) {

    public DrainResult {
        attempts = List.copyOf(attempts);
    }

    /** How many attempts were made. */
    public int ran() {
        return attempts.size();
    }

    /** How many of them completed their job. */
    public int completed() {
        return (int) attempts.stream().filter(DrainResult::completed).count();
    }

    /** How many failed: their jobs are tried again later, or are dead. Those that snoozed, or have no listener here, did not fail. */
    public int failed() {
        return (int) attempts.stream().filter(DrainResult::failure).count();
    }

    /** What listeners threw in attempts that failed, as they threw it. */
    public List<Throwable> failures() {
        return attempts.stream()
                .map(attempt -> attempt.outcome().thrown())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * Fails the test unless each attempt has completed its job, or has snoozed it.
     *
     * @throws AssertionError names those that have not; its suppressed exceptions are what listeners threw
     */
    public DrainResult requireSuccess() {
        List<Attempt> others = attempts.stream()
                .filter(attempt -> !completed(attempt) && !(attempt.outcome() instanceof Outcome.Snoozed))
                .toList();
        if (!others.isEmpty()) {
            AssertionError error = new AssertionError(others.stream()
                    .map(DrainResult::line)
                    .collect(Collectors.joining(
                            "\n  ",
                            "%d of %d attempts did not complete their jobs:\n  ".formatted(others.size(), ran()),
                            "")));
            failures().forEach(error::addSuppressed);
            throw error;
        }
        return this;
    }

    static boolean completed(Attempt attempt) {
        return attempt.outcome() instanceof Outcome.Completed || attempt.outcome() instanceof Outcome.AlreadyCompleted;
    }

    private static boolean failure(Attempt attempt) {
        return attempt.outcome() instanceof Outcome.Retry || attempt.outcome() instanceof Outcome.Failed;
    }

    private static String line(Attempt attempt) {
        Throwable thrown = attempt.outcome().thrown();
        return "%s: %s%s".formatted(attempt.job(), attempt.outcome().label(), thrown == null ? "" : ", " + thrown);
    }

    @Override
    public String toString() {
        return attempts.stream()
                .map(DrainResult::line)
                .collect(Collectors.joining("\n  ", ran() + " attempts\n  ", ""));
    }
}
