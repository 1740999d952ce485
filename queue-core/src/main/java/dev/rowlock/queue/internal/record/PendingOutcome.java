package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.record.Recorder.HeldJob;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;

/** One outcome on its way to the database. {@code resultLength} is that of the result that the handler returned, in characters. */
record PendingOutcome(HeldJob held, Outcome outcome, Duration took, int resultLength) {

    PendingOutcome(HeldJob held, Outcome outcome, Duration took) {
        this(held, outcome, took, resultLength(outcome));
    }

    ClaimedJob job() {
        return held.job();
    }

    Claim claim() {
        return held.job().claim();
    }

    /** The same with another outcome in place of what the handler came to. */
    PendingOutcome as(Outcome other) {
        return new PendingOutcome(held, other, took, resultLength);
    }

    /** The same with this outcome, and without what the handler returned. */
    PendingOutcome withoutResult(Outcome other) {
        return new PendingOutcome(held, other, took, 0);
    }

    private static int resultLength(Outcome outcome) {
        return outcome instanceof Outcome.Completed completed && completed.resultJson() != null
                ? completed.resultJson().length()
                : 0;
    }
}
