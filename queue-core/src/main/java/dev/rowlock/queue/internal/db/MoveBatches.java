package dev.rowlock.queue.internal.db;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Moves jobs in batches. A job that the server refuses to move, or that takes it too long, stays where it is and holds up nobody: the others move in
 * parts, and it is tried again each minute, after them ({@link RefusedJobs}). Where no job moves, none is to blame: the failure is thrown. One thread at
 * a time.
 */
public final class MoveBatches {

    private final int most;
    private final BatchLimit limit;
    private final RefusedJobs refused;

    /**
     * @param what for the log: what cannot be done with them
     * @param most so many jobs are a batch
     */
    public MoveBatches(String what, int most) {
        this(most, new RefusedJobs(what));
    }

    MoveBatches(int most, RefusedJobs refused) {
        this.most = most;
        this.limit = new BatchLimit(most);
        this.refused = refused;
    }

    /**
     * Moves all that there are.
     *
     * @param some moves up to so many, and returns how many those were
     * @param names the ids of those that it would move, a batch at most
     * @param named moves these
     */
    public void all(IntUnaryOperator some, Supplier<List<Long>> names, Consumer<List<Long>> named) {
        boolean more = true;
        while (more) {
            int rows = limit.rows();
            try {
                more = some.applyAsInt(rows) >= rows;
                if (more) {
                    limit.worked();
                }
            } catch (RuntimeException e) {
                more = apart(rows, names, named, e) >= most;
            }
        }
        if (refused.isDue()) {
            refused.tryAgain(named, limit.rows());
        }
    }

    /** Moves these jobs. */
    public void these(List<Long> ids, Consumer<List<Long>> named) {
        List<Long> rest = new ArrayList<>(ids);
        Consumer<List<Long>> moving = some -> {
            named.accept(some);
            rest.removeAll(new HashSet<>(some));
        };
        all(
                rows -> {
                    rest.removeAll(new HashSet<>(refused.ids()));
                    List<Long> some = first(rest, rows);
                    if (!some.isEmpty()) {
                        moving.accept(some);
                    }
                    return some.size();
                },
                () -> first(rest, most),
                moving);
    }

    private static List<Long> first(List<Long> ids, int most) {
        return List.copyOf(ids.subList(0, Math.min(most, ids.size())));
    }

    /** Returns how many there were, unless it has left all of them aside before. */
    private int apart(int rows, Supplier<List<Long>> names, Consumer<List<Long>> named, RuntimeException together) {
        limit.failed(together);
        boolean slow = rows == 1 && BatchLimit.outOfTime(together);
        if (!slow) {
            BatchSplitter.requireAnswer(together);
        }
        List<Long> found = names.get();
        List<Long> open = new ArrayList<>(found);
        open.removeAll(new HashSet<>(refused.ids()));
        if (open.isEmpty()) {
            return 0;
        }
        // One that is slow would be the first again.
        refused.leave(
                slow
                        ? BatchSplitter.singly(open, id -> named.accept(List.of(id)), together)
                        : BatchSplitter.run(open, named, together));
        return found.size();
    }
}
