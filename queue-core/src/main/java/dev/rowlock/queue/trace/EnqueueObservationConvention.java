package dev.rowlock.queue.trace;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and keys of enqueues. A bean of this type replaces {@link DefaultEnqueueObservationConvention}, to which it may delegate. Asked at
 * the beginning and at the end: what is known only then counts. Keys of low cardinality are always the same ones, or
 * meters contradict each other.
 */
public interface EnqueueObservationConvention extends ObservationConvention<EnqueueObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof EnqueueObservationContext;
    }
}
