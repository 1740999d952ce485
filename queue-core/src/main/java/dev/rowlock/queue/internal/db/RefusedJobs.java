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
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves jobs in batches, without those that the server refuses because of a trigger, a constraint, or what is in their row. A batch that fails is tried
 * again with half as many jobs; one that fails alone is left aside, named in the log, and tried again after a minute. Jobs left aside stay where they are
 * and hold up nobody. Each node that meets them leaves them aside. One thread at a time.
 */
public final class RefusedJobs {

    private static final Logger log = LoggerFactory.getLogger(RefusedJobs.class);

    private static final Duration AGAIN = Duration.ofMinutes(1);

    /** Jobs that may not be to blame, and others once it works for some. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private static final Duration TELL_AGAIN = Duration.ofHours(1);

    /** If the server refuses more than this it is no longer about some jobs, and each statement carries their ids. */
    private static final int MOST = 10_000;

    /** So many are tried again at once: others wait behind them. */
    private static final int SOME = 100;

    /** When so many fail alone in a row, and not for what is in them, no job is to blame. */
    private static final int ENOUGH = 10;

    /** The same of those that take too long: each is waited for. */
    private static final int ENOUGH_SLOW = 3;

    private static final int NAMED = 20;

    /** Lines a minute, however many jobs are refused in batches of few. */
    private static final int MOST_LINES = 5;

    private final String what;
    private final Duration again;
    private final BatchLimit batch;
    private final Set<Long> jobs = new LinkedHashSet<>();
    private final Set<Long> trying = new HashSet<>(); // left aside before, and not refused since
    private int tried; // by the last batch
    private int inARow; // failed alone, and not for what is in them
    private List<Long> ids = List.of();
    private long againAt; // monotonic, as below
    private long tellAgainAt;
    private @Nullable RuntimeException last; // refusal
    private final LineLimit lines = new LineLimit(MOST_LINES, AGAIN);

    /**
     * @param what for the log: what cannot be done with them
     * @param most so many jobs are a batch
     */
    public RefusedJobs(String what, int most) {
        this(what, most, AGAIN);
    }

    public RefusedJobs(String what, int most, Duration again) {
        this.what = what;
        this.batch = new BatchLimit(most);
        this.again = again;
    }

    /** How many jobs a batch may have. */
    public int rows() {
        return batch.rows();
    }

    /**
     * Moves a batch.
     *
     * @param most so many jobs at most
     * @param work moves up to so many, without {@link #ids}
     * @param first the ids of the jobs that a batch of one would move; they are asked for only if it has failed
     */
    public <R> R move(int most, IntFunction<R> work, Supplier<List<Long>> first) {
        return move(most, work, first, false);
    }

    private <R> R move(int most, IntFunction<R> work, Supplier<List<Long>> first, boolean slow) {
        while (true) {
            tried = Math.min(most, batch.rows());
            try {
                return work.apply(tried);
            } catch (RuntimeException e) {
                failed(e, first, slow);
            }
        }
    }

    /** The last batch has moved so many. Returns whether there may be more. */
    public boolean worked(int moved) {
        inARow = moved > 0 ? 0 : inARow;
        boolean full = moved >= tried;
        if (full) {
            batch.worked();
        }
        return full;
    }

    /** How many jobs the last batch might have had. */
    public int tried() {
        return tried;
    }

    /** Moves these jobs, but for those that are left aside. */
    public void these(List<Long> jobs, Consumer<List<Long>> work) {
        List<Long> rest = new ArrayList<>(jobs);
        rest.removeAll(Set.copyOf(ids));
        while (!rest.isEmpty()) {
            tried = Math.min(rest.size(), batch.rows());
            List<Long> some = List.copyOf(rest.subList(0, tried));
            try {
                work.accept(some);
                worked(tried);
            } catch (RuntimeException e) {
                failed(e, () -> some, true);
                if (tried > 1) {
                    continue;
                }
            }
            rest = rest.subList(tried, rest.size());
        }
    }

    /**
     * Moves all that there are, those left aside at the end: by chores that run so rarely that they try each job each time. Where none moves that was
     * not refused before, none is to blame: the failure is thrown.
     *
     * @param work moves up to so many, without {@link #ids}, and returns how many those were
     */
    public void all(IntUnaryOperator work, Supplier<List<Long>> first) {
        int before = jobs.size();
        long moved = moved(work, first);
        boolean anew = jobs.size() > before;
        if (!jobs.isEmpty()) {
            takeBack(jobs.size());
            try {
                moved += moved(work, first);
            } catch (RuntimeException e) {
                leave(trying); // they must not be the first the next time
                throw e;
            }
        }
        if (anew && moved == 0 && last != null) {
            throw last;
        }
    }

    private long moved(IntUnaryOperator work, Supplier<List<Long>> first) {
        long all = 0;
        boolean more = true;
        while (more) {
            int moved = move(batch.rows(), work::applyAsInt, first, true);
            all += moved;
            more = worked(moved);
        }
        return all;
    }

    /** @param slow whether a job that takes longer than a statement may is left aside as well */
    private void failed(RuntimeException e, Supplier<List<Long>> first, boolean slow) {
        batch.failed(e);
        boolean tooSlow = slow && tried == 1 && BatchLimit.outOfTime(e);
        if (!tooSlow) {
            BatchSplitter.requireAnswer(e);
            if (BatchSplitter.isOfTheMoment(e)) {
                throw e;
            }
            if (tried > 1) {
                batch.halve(tried);
                return;
            }
        }
        boolean ofARow = BatchSplitter.isOfARow(e);
        inARow += ofARow ? 0 : 1;
        boolean enough = inARow > (tooSlow ? ENOUGH_SLOW : ENOUGH) || jobs.size() >= MOST;
        List<Long> alone = enough ? List.of() : first.get();
        if (alone.isEmpty()) {
            inARow = tooSlow ? 0 : inARow; // the next time others are the first
            throw e;
        }
        leave(alone.get(0), ofARow, e);
    }

    /** Tried again soon if it may not be to blame, and so are all others then. */
    private void leave(long job, boolean ofARow, RuntimeException reason) {
        boolean refusedBefore = trying.remove(job);
        boolean maybe = !ofARow && !refusedBefore;
        if (maybe || trying.isEmpty() && (jobs.isEmpty() || refusedBefore)) {
            againAt = System.nanoTime() + (maybe ? soon() : again.toNanos());
        }
        leave(Set.of(job));
        last = reason;
        if (!refusedBefore) {
            tellUnlessMany(Map.of(job, reason));
        }
    }

    private void leave(Collection<Long> some) {
        jobs.addAll(some);
        ids = List.copyOf(jobs);
    }

    private long soon() {
        return Math.min(SOON.toNanos(), again.toNanos());
    }

    /** If it is time, takes back some of those left aside, so that the next batches meet them. Returns whether it has. */
    public boolean tryAgain() {
        if (jobs.isEmpty() || againAt - System.nanoTime() > 0) {
            return false;
        }
        takeBack(SOME);
        return true;
    }

    private void takeBack(int most) {
        long now = System.nanoTime();
        if (last != null && tellAgainAt - now <= 0) {
            tell(jobs, last);
        }
        List<Long> some = new ArrayList<>(jobs);
        Collections.shuffle(some);
        trying.clear();
        trying.addAll(some.subList(0, Math.min(most, some.size())));
        jobs.removeAll(trying);
        ids = List.copyOf(jobs);
        againAt = now + soon(); // the others may work as well
    }

    /** Those to do without. */
    public List<Long> ids() {
        return ids;
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
