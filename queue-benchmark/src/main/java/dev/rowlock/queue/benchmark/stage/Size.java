package dev.rowlock.queue.benchmark.stage;

import dev.rowlock.queue.benchmark.peer.Ability;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How large a run is. What is not given follows from the workload and the peer.
 *
 * @param jobs null: as many as suit the peer's speed
 * @param seconds null: as the workload says
 * @param workers jobs at once; 0: as many as suit the peer
 * @param queues that a node listens to, where the workload varies that
 * @param parts of the workload; empty: all
 */
public record Size(@Nullable Integer jobs, @Nullable Integer seconds, int workers, int queues, Set<String> parts) {

    /** As large as a measurement should be. */
    public static final Size FULL = new Size(null, null, 0, 1, Set.of());

    public boolean has(String part) {
        return parts.isEmpty() || parts.contains(part);
    }

    /** What it asks of a peer, whatever the workload. */
    public Set<Ability> needs() {
        return queues == 1 ? Set.of() : Set.of(Ability.QUEUES);
    }

    /** The jobs that were asked for, or as many as a peer of this speed runs in so many seconds. */
    public int jobs(int jobsPerSecond, int runSeconds) {
        return jobs != null ? jobs : jobsPerSecond * runSeconds;
    }

    /** Whether the run is only to show that all works. */
    public boolean trial() {
        return jobs != null && jobs < 10_000;
    }

    /** The same with so many jobs, unless fewer were asked for. */
    public Size withJobs(int most) {
        return new Size(jobs == null ? most : Integer.valueOf(Math.min(jobs, most)), seconds, workers, queues, parts);
    }

    /** The same for so many seconds, unless fewer were asked for. */
    public Size withSeconds(int most) {
        return new Size(
                jobs, seconds == null ? most : Integer.valueOf(Math.min(seconds, most)), workers, queues, parts);
    }

    public Duration duration(int otherwise) {
        return Duration.ofSeconds(seconds != null ? seconds : otherwise);
    }
}
