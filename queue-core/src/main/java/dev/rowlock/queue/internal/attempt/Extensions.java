package dev.rowlock.queue.internal.attempt;

import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import java.util.List;

/** What runs around handlers and beside them: code of the application, each in its order, and whoever hears of refusals. */
public record Extensions(
        List<JobObserver> observers,
        List<JobInterceptor> interceptors,
        List<AttemptInterceptor> attempts,
        List<ErrorRedactor> redactors,
        Refusals refusals) {

    /** Nothing of the kind. */
    public static final Extensions NONE = new Extensions(List.of(), List.of(), List.of(), List.of(), Refusals.UNHEARD);

    public Extensions {
        observers = List.copyOf(observers);
        interceptors = List.copyOf(interceptors);
        attempts = List.copyOf(attempts);
        redactors = List.copyOf(redactors);
    }

    /** Observers only. */
    public static Extensions observedBy(List<JobObserver> observers) {
        return new Extensions(observers, List.of(), List.of(), List.of(), Refusals.UNHEARD);
    }
}
