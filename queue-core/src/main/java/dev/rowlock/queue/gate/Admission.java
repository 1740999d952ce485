package dev.rowlock.queue.gate;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.util.List;

/**
 * What a policy has decided.
 *
 * @param jobs ids of the jobs that run next, in this order: some of those that it was shown, each once, no more than {@link AdmissionRequest#room}
 * @param askAgain it is asked no sooner than after this time; zero: as soon as there is room. Zero to one hour
 */
public record Admission(List<Long> jobs, Duration askAgain) {

    private static final Duration LONGEST = Duration.ofHours(1);

    public Admission {
        jobs = List.copyOf(jobs);
        if (askAgain.isNegative() || askAgain.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("to ask again after %s is not allowed: zero to %s"
                    .formatted(DurationText.of(askAgain), DurationText.of(LONGEST)));
        }
    }

    /** These run next, and it is asked again as soon as there is room. */
    public static Admission of(List<Long> jobs) {
        return new Admission(jobs, Duration.ZERO);
    }

    /** Nothing runs for a time. */
    public static Admission nothingFor(Duration time) {
        return new Admission(List.of(), time);
    }

    /** The same, but it is asked no sooner than after this time. */
    public Admission askAgainIn(Duration time) {
        return new Admission(jobs, time);
    }
}
