package dev.rowlock.queue.spring;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several observers as one. One that throws keeps nothing from the others. */
public final class JobObservers implements JobObserver {

    private static final Logger log = LoggerFactory.getLogger(JobObservers.class);

    private final List<JobObserver> observers;

    public JobObservers(List<JobObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void started(ClaimedJob job, Duration waited) {
        each(observer -> observer.started(job, waited));
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        each(observer -> observer.finished(job, outcome, took));
    }

    @Override
    public void lost(ClaimedJob job) {
        each(observer -> observer.lost(job));
    }

    @Override
    public void rescued(int jobs, int quarantined) {
        each(observer -> observer.rescued(jobs, quarantined));
    }

    private void each(Consumer<JobObserver> event) {
        for (JobObserver observer : observers) {
            try {
                event.accept(observer);
            } catch (RuntimeException e) {
                log.warn("observer {} failed; the job is not affected", observer, e);
            }
        }
    }
}
