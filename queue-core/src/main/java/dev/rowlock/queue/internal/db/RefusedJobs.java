package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.text.LineLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs that the server refuses to move, each by itself, because of a trigger, a constraint, or what is in their row. They stay where
 * they are and hold up nobody; they are named in the log, and tried again now and then. As many nodes as meet them leave them aside.
 * One thread at a time.
 */
public final class RefusedJobs {

    private static final Logger log = LoggerFactory.getLogger(RefusedJobs.class);

    private static final Duration AGAIN = Duration.ofMinutes(1);
    private static final Duration TELL_AGAIN = Duration.ofHours(1);

    /** If the server refuses more than this it is no longer about some jobs, and each statement carries their ids. */
    private static final int MOST = 10_000;

    private static final int NAMED = 20;

    /** Lines a minute, however many jobs are refused in batches of few. */
    private static final int MOST_LINES = 5;

    private final String what;
    private final Duration again;
    private final Set<Long> jobs = new LinkedHashSet<>();
    private List<Long> ids = List.of();
    private long againAt; // monotonic, as below
    private long tellAgainAt;
    private final LineLimit lines = new LineLimit(MOST_LINES, AGAIN);

    /** @param what for the log: what cannot be done with them */
    public RefusedJobs(String what) {
        this(what, AGAIN);
    }

    public RefusedJobs(String what, Duration again) {
        this.what = what;
        this.again = again;
    }

    /** Those to do without. */
    public List<Long> ids() {
        return ids;
    }

    /**
     * Does to some jobs in parts what has failed for all of them, and leaves aside those that are refused.
     *
     * @return whether it has worked for any
     * @param names the ids of those jobs, asked for unless the server does not answer anyway
     * @param together how it failed for all; thrown again if it is not about some of them
     */
    public boolean apart(Supplier<List<Long>> names, Consumer<List<Long>> work, RuntimeException together) {
        BatchSplitter.requireAnswer(together);
        List<Long> some = jobs.size() < MOST ? names.get() : List.of();
        if (some.isEmpty()) {
            throw together;
        }
        Set<Long> worked = new HashSet<>();
        leave(BatchSplitter.refused(some, remembering(work, worked), together));
        return !worked.isEmpty();
    }

    /** Leaves these aside, which are refused for this reason each. */
    void leave(Map<Long, RuntimeException> refused) {
        if (jobs.isEmpty()) {
            againAt = System.nanoTime() + again.toNanos();
        }
        jobs.addAll(refused.keySet());
        ids = List.copyOf(jobs);
        if (!refused.isEmpty()) {
            tellUnlessMany(refused);
        }
    }

    /** Whether it is time to try again. */
    public boolean isDue() {
        return !jobs.isEmpty() && againAt - System.nanoTime() <= 0;
    }

    /** Tries again with some of them, so many at most. Whatever works is not left aside any more. */
    public void tryAgain(Consumer<List<Long>> work, int most) {
        List<Long> some = new ArrayList<>(jobs);
        Collections.shuffle(some);
        some = some.subList(0, Math.min(most, some.size()));
        againAt = System.nanoTime() + again.toNanos();
        Set<Long> worked = new HashSet<>();
        Consumer<List<Long>> remembering = remembering(work, worked);
        try {
            remembering.accept(some);
            againAt = System.nanoTime(); // the others may work as well
        } catch (RuntimeException e) {
            BatchSplitter.refused(some, remembering, e);
            if (tellAgainAt - System.nanoTime() <= 0) {
                tell(jobs, e);
            }
        } finally {
            jobs.removeAll(worked);
            ids = List.copyOf(jobs);
        }
    }

    private static Consumer<List<Long>> remembering(Consumer<List<Long>> work, Set<Long> worked) {
        return some -> {
            work.accept(some);
            worked.addAll(some);
        };
    }

    /** Those that this leaves out are named with all others at the next try. */
    private void tellUnlessMany(Map<Long, RuntimeException> refused) {
        if (lines.admitted(System.nanoTime()) >= 0) {
            tell(refused.keySet(), refused.values().iterator().next());
        } else {
            tellAgainAt = System.nanoTime();
        }
    }

    private void tell(Collection<Long> refused, RuntimeException reason) {
        tellAgainAt = System.nanoTime() + TELL_AGAIN.toNanos();
        log.error(
                "{} jobs {}: the server refuses each of them by itself. They stay where they are and are tried again each {},"
                        + " the others go on. Their ids: {}{}",
                refused.size(),
                what,
                DurationText.of(again),
                refused.stream().limit(NAMED).toList(),
                refused.size() > NAMED ? " and more" : "",
                reason);
    }
}
