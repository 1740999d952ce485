package dev.rowlock.queue.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether jobs run as they should, over all nodes, in one word, and why not.
 *
 * @param status the worst of the reasons; HEALTHY if there is none
 * @param reasons the worst first
 */
public record Verdict(Status status, List<Reason> reasons) {

    public Verdict {
        Objects.requireNonNull(status, "status");
        reasons = List.copyOf(reasons);
    }

    /** As bad as the worst of them. */
    public static Verdict of(List<Reason> reasons) {
        List<Reason> sorted = reasons.stream()
                .sorted(Comparator.comparing(Reason::status).reversed())
                .toList();
        return new Verdict(sorted.isEmpty() ? Status.HEALTHY : sorted.get(0).status(), sorted);
    }

    /** How it is, the worst last. */
    public enum Status {
        /** No job that may run has waited for long. */
        HEALTHY,
        /** Jobs of a queue have waited for long, because it is paused or because more comes than runs. */
        LATE,
        /** It cannot be seen how the queues are. */
        BLIND,
        /** Jobs of a queue have waited for long, and no job of it has begun meanwhile. */
        STUCK
    }

    /**
     * One of the causes, of which each queue has one at most.
     *
     * @param queue null: it concerns all of them
     * @param cause one sentence
     * @param remedy what helps, in words
     */
    public record Reason(Status status, @Nullable String queue, String cause, String remedy) {

        public Reason {
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(cause, "cause");
            Objects.requireNonNull(remedy, "remedy");
        }
    }
}
