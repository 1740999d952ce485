package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long jobs wait whose type no listener of this node knows. A few come back soon, for a node that knows them may be
 * starting; many come back one after the other, so that they leave room for jobs that can run. Thread-safe.
 */
final class UnknownTypes {

    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** As long as a job is old, it waits at least, up to this. */
    private static final Duration BY_AGE = Duration.ofMinutes(1);

    /** Nothing waits longer because there are many. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** So far apart jobs of unknown types come back. */
    private static final Duration APART = Duration.ofMillis(10);

    private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

    private final Map<String, Seen> types = new HashMap<>(); // guarded by this; as many as there are types
    private long lastReturn; // guarded by this; monotonic
    private boolean any; // guarded by this

    /** What becomes of such a job. */
    Outcome putAside(ClaimedJob job, long now) {
        tell(job, now);
        return new Outcome.UnknownType(nextReturn(now), BY_AGE);
    }

    private synchronized Duration nextReturn(long now) {
        long soonest = now + SHORTEST.toNanos();
        long next = any ? lastReturn + APART.toNanos() : soonest;
        long latest = now + LONGEST.toNanos();
        lastReturn = next - soonest < 0 ? soonest : next - latest > 0 ? latest : next;
        any = true;
        return Duration.ofNanos(lastReturn - now);
    }

    private void tell(ClaimedJob job, long now) {
        long jobs;
        synchronized (this) {
            Seen seen = types.computeIfAbsent(job.type(), type -> new Seen());
            seen.jobs++;
            if (seen.told && now - seen.toldAt < TELL_AGAIN.toNanos()) {
                return;
            }
            jobs = seen.jobs;
            seen.jobs = 0;
            seen.told = true;
            seen.toldAt = now;
        }
        log.warn(
                "queue '{}': no listener of this node knows jobs of type '{}' ({} since the last such line); they are put aside at"
                        + " no cost and come back, for nodes that know them. If no deployment has a listener for that type any"
                        + " more, add one or cancel the jobs",
                job.queue(),
                job.type(),
                jobs);
    }

    private static final class Seen {

        private long jobs; // since the last line
        private boolean told;
        private long toldAt;
    }
}
