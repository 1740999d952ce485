package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;

/** Writes down what the node says became of its outcomes. */
final class LoggingObserver implements JobObserver {

    private final ActionLog log;

    LoggingObserver(ActionLog log) {
        this.log = log;
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        log.outcome(job.id(), job.claim().token(), outcome.label());
    }

    @Override
    public void lost(ClaimedJob job) {
        log.outcome(job.id(), job.claim().token(), "lost");
    }
}
