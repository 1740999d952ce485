package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.record.Recorder.HeldJob;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;

/** Held by nobody who minds. */
record TestHeldJob(ClaimedJob job) implements HeldJob {

    static PendingOutcome pending(ClaimedJob job, Outcome outcome) {
        return new PendingOutcome(new TestHeldJob(job), outcome, Duration.ZERO);
    }

    @Override
    public boolean letGo() {
        return true;
    }
}
