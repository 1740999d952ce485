package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** An observer as nobody should write one: for some claims, after it has passed on what it heard, it misbehaves. */
final class RudeObserver implements JobObserver {

    private static final long LONG = 400_000_000L;

    private final JobObserver polite;

    RudeObserver(JobObserver polite) {
        this.polite = polite;
    }

    @Override
    public void started(ClaimedJob job, Duration waited) {
        polite.started(job, waited);
        misbehave(job.claim().token() + 5);
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        polite.finished(job, outcome, took);
        misbehave(job.claim().token());
    }

    @Override
    public void lost(ClaimedJob job) {
        polite.lost(job);
        misbehave(job.claim().token());
    }

    @Override
    public void rescued(int jobs, int quarantined) {
        polite.rescued(jobs, quarantined);
        misbehave(jobs);
    }

    private static void misbehave(long number) {
        switch ((int) (number % 23)) {
            case 0 -> throw new IllegalStateException("an observer fails");
            case 1 -> throw new NoClassDefFoundError("an observer of another version");
            case 2 -> Thread.currentThread().interrupt();
            case 3 -> LockSupport.parkNanos(LONG);
            case 4 -> Traces.leave((int) number);
            default -> {} // for once
        }
    }
}
