package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.List;

/** Code of the application that runs around handlers, each in its order, and what takes their slow-downs and lines of logs. */
public record Extensions(
        List<JobObserver> observers,
        List<JobInterceptor> interceptors,
        List<AttemptInterceptor> attempts,
        List<ErrorRedactor> redactors,
        SlowDownHandler slowDowns,
        JobLines log) {

    /** Nothing of the kind. */
    public static final Extensions NONE =
            new Extensions(List.of(), List.of(), List.of(), List.of(), SlowDownHandler.NONE, JobLines.NONE);

    public Extensions {
        observers = List.copyOf(observers);
        interceptors = List.copyOf(interceptors);
        attempts = List.copyOf(attempts);
        redactors = List.copyOf(redactors);
    }

    /** Takes the lines that handlers write to the logs of their jobs. Called from any thread. */
    @FunctionalInterface
    public interface JobLines {

        /** Keeps none. */
        JobLines NONE = (job, line) -> {};

        void add(ClaimedJob job, String line);
    }

    /** Applies the slow-down that a handler requests by {@code SlowDownException}. Called on the thread of the handler. */
    @FunctionalInterface
    public interface SlowDownHandler {

        /** Applies none. */
        SlowDownHandler NONE = (job, retryAfter) -> {};

        /** What it throws is logged and changes nothing about the job. */
        void slowDown(ClaimedJob job, Duration retryAfter);
    }
}
