package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Postpones jobs whose type no listener of this node knows. Thread-safe.
 *
 * <p>A few come back soon, for a node that knows them may be starting. Many come back one after the other, so that they leave room
 * for jobs that can run, but in a minute at the latest, or in as long as they are old: what a deployment brings is handed over in no
 * more time than the deployment takes. Those for whom there is no room in that time come back spread over its second half.
 */
final class UnknownTypes {

    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** As long as a job is old, it waits at least, up to this; and a young one waits no longer because there are many. */
    private static final Duration LONGEST_OF_YOUNG = Duration.ofMinutes(1);

    /** Nor does any other. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** So far apart jobs of one unknown type come back. */
    private static final Duration APART = Duration.ofMillis(10);

    private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

    /** Lines a minute. Types for which there is no room are named in a later one, if they come back. */
    private static final int MOST_LINES = 20;

    /** Of more types, those that were met longest ago are forgotten. */
    private static final int REMEMBERED = 1_000;

    private final LineLimit lines = new LineLimit(MOST_LINES, TELL_AGAIN);
    private final Map<String, Seen> types = new LinkedHashMap<>(16, 0.75f, true); // guarded by this; met last, last

    /** What becomes of such a job. */
    Outcome putAside(ClaimedJob job, long now) {
        Duration wait;
        long told = 0; // of how many jobs a line tells; 0: there is none
        synchronized (this) {
            Seen seen = types.computeIfAbsent(job.type(), type -> new Seen(now));
            if (types.size() > REMEMBERED) {
                types.remove(types.keySet().iterator().next());
            }
            seen.jobs++;
            wait = wait(seen, now);
            if (now - seen.toldAt >= TELL_AGAIN.toNanos() && lines.admitted(now) >= 0) {
                told = seen.jobs;
                seen.jobs = 0;
                seen.toldAt = now;
            }
        }
        if (told > 0) {
            log.warn(
                    "queue '{}': no listener of this node knows jobs of type '{}' ({} since the last such line); they are put aside at"
                            + " no cost and come back, for nodes that know them. If no deployment has a listener for that type any"
                            + " more, add one or cancel the jobs",
                    job.queue(),
                    job.type(),
                    told);
        }
        boolean many = wait.compareTo(LONGEST_OF_YOUNG) > 0;
        return new Outcome.UnknownType(many ? inSecondHalfOf(LONGEST_OF_YOUNG) : wait, many ? wait : LONGEST_OF_YOUNG);
    }

    /** How long a job of this type waits if it is old. */
    private static Duration wait(Seen seen, long now) {
        long wait = Math.max(SHORTEST.toNanos(), seen.lastReturn + APART.toNanos() - now);
        if (wait > LONGEST.toNanos()) {
            return inSecondHalfOf(LONGEST);
        }
        seen.lastReturn = now + wait;
        return Duration.ofNanos(wait);
    }

    private static Duration inSecondHalfOf(Duration time) {
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(time.toNanos() / 2, time.toNanos() + 1));
    }

    /** Times are monotonic. */
    private static final class Seen {

        private long lastReturn;
        private long jobs; // since the last line
        private long toldAt;

        Seen(long now) {
            lastReturn = now;
            toldAt = now - TELL_AGAIN.toNanos();
        }
    }
}
