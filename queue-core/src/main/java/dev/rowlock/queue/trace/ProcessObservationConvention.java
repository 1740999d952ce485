package dev.rowlock.queue.trace;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and keys of attempts. A bean of this type replaces {@link DefaultProcessObservationConvention}, to which it may delegate. Asked at
 * the beginning and at the end: what is known only then counts. Keys of low cardinality are always the same ones, or
 * meters contradict each other.
 */
public interface ProcessObservationConvention extends ObservationConvention<ProcessObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof ProcessObservationContext;
    }
}
