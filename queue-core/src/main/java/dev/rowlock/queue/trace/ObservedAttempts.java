package dev.rowlock.queue.trace;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.AttemptInterceptor;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes attempts, and calls with chunks, as {@code rowlock.job.process}. Thread-safe.
 *
 * <p>An attempt that was retried or failed is an error of its observation: the exception as it was thrown, or what redactors have left
 * of it.
 */
public final class ObservedAttempts implements AttemptInterceptor {

    private final ObservationRegistry registry;
    private final ObservationSettings settings;

    public ObservedAttempts(ObservationRegistry registry, ObservationSettings settings) {
        this.registry = registry;
        this.settings = settings;
    }

    @Override
    public void intercept(List<ClaimedJob> jobs, Attempt attempt) {
        if (registry.isNoop()) {
            attempt.make();
            return;
        }
        ProcessObservationContext context =
                new ProcessObservationContext(jobs, settings.clientId(), settings.parentWithin());
        try (Observed observed = Observed.begin(settings.process(), context, registry)) {
            Map<Long, Outcome> outcomes = attempt.make();
            context.ended(outcomes);
            for (ClaimedJob job : jobs) {
                Throwable error = error(outcomes.get(job.id()));
                if (error != null) {
                    observed.error(error);
                    break; // an observation has one
                }
            }
        }
    }

    private static @Nullable Throwable error(@Nullable Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            return presentable(retry.thrown(), retry.error());
        }
        return outcome instanceof Outcome.Failed failed ? presentable(failed.thrown(), failed.error()) : null;
    }

    /** What a redactor has taken out must not leave by this way. */
    private static Throwable presentable(@Nullable Throwable thrown, JobError kept) {
        return thrown != null && JobError.of(thrown).equals(kept) ? thrown : new KeptErrorException(kept);
    }
}
