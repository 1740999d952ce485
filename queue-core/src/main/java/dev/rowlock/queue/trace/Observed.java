package dev.rowlock.queue.trace;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An observation that is open on the calling thread. Exceptions of its handlers are logged and do not affect the job. */
final class Observed implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Observed.class);

    private final Observation observation;
    private Observation.Scope scope = Observation.Scope.NOOP;

    private Observed(Observation observation) {
        this.observation = observation;
    }

    static <T extends Observation.Context> Observed begin(
            ObservationConvention<T> convention, T context, ObservationRegistry registry) {
        Observation[] made = {Observation.NOOP};
        quietly(() -> made[0] = Observation.createNotStarted(convention, () -> context, registry));
        Observed observed = new Observed(made[0]);
        if (!made[0].isNoop()) {
            quietly(() -> {
                made[0].start();
                observed.scope = made[0].openScope();
            });
        }
        return observed;
    }

    void error(Throwable thrown) {
        quietly(() -> observation.error(thrown));
    }

    @Override
    public void close() {
        quietly(scope::close);
        quietly(observation::stop);
    }

    private static void quietly(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | LinkageError e) { // handlers and conventions are code of others
            log.warn("an observation failed; the observed call goes on", e);
        }
    }
}
