package dev.rowlock.queue.trace;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.settings.LeaseSettings;
import java.time.Duration;

/**
 * How enqueues and attempts are observed.
 *
 * @param clientId what this process is called, as the key {@code messaging.client.id}
 * @param parentWithin a first attempt that is claimed within this time after the enqueue belongs to the enqueue's trace; a later one, and each
 *     further one, begins its own, with a link; 0 to 1 day
 * @param enqueue name and keys of enqueues
 * @param process name and keys of attempts
 */
public record ObservationSettings(
        String clientId,
        Duration parentWithin,
        EnqueueObservationConvention enqueue,
        ProcessObservationConvention process) {

    private static final Duration LONGEST = Duration.ofDays(1);

    public ObservationSettings {
        if (parentWithin.isNegative() || parentWithin.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "parent-within %s must lie between 0 and 1 day".formatted(DurationText.of(parentWithin)));
        }
    }

    /** One minute, the documented names, and the name that nodes of this process have. */
    public static ObservationSettings defaults() {
        return new ObservationSettings(
                LeaseSettings.defaults().nodeName(),
                Duration.ofMinutes(1),
                new DefaultEnqueueObservationConvention(),
                new DefaultProcessObservationConvention());
    }
}
