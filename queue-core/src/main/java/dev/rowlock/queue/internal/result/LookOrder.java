package dev.rowlock.queue.internal.result;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The order in which awaited jobs are checked: each at its time, the longest due first, and those with news before that. However
 * many have news, every other check is for those without, so that no wait is starved. Guarded by the lock of {@link Waits}.
 */
final class LookOrder {

    /** What is due this soon is asked for with what is due now. */
    static final long TOGETHER = 5_000_000;

    private final int most;
    private final TreeSet<Wait> planned = new TreeSet<>(
            Comparator.comparing(Wait::nextLook, (one, other) -> Long.signum(one - other)) // as nanoTime asks for
                    .thenComparing(Wait::id));
    private final Set<Wait> heard = new LinkedHashSet<>(); // the first to be heard of comes first
    private boolean heardLast;

    /** @param most that one look asks for */
    LookOrder(int most) {
        this.most = most;
    }

    /** It is looked at then, whatever was heard of it. */
    void plan(Wait wait, long when) {
        remove(wait);
        wait.lookAt(when);
        planned.add(wait);
    }

    /** It is looked at now, or as long ago as it was due. */
    void hurry(Wait wait, long now) {
        if (!heard.contains(wait) && wait.nextLook() - now > 0) {
            plan(wait, now);
        }
    }

    /** There is news of it. */
    void hear(Wait wait) {
        planned.remove(wait);
        heard.add(wait);
    }

    /** It was looked at, and must be once more: after all those that are due. */
    void again(Wait wait, long now) {
        if (heard.remove(wait)) {
            heard.add(wait);
        } else {
            plan(wait, now);
        }
    }

    void remove(Wait wait) {
        if (!heard.remove(wait)) {
            planned.remove(wait);
        }
    }

    void clear() {
        heard.clear();
        planned.clear();
    }

    /** Nanos until somebody is to be looked at; the highest number: nobody is. */
    long left(long now) {
        if (!heard.isEmpty()) {
            return 0;
        }
        return planned.isEmpty() ? Long.MAX_VALUE : Math.max(0, planned.first().nextLook() - now);
    }

    /** Those that the next look is for. They stay in their places until it is known how they are. */
    List<Wait> next(long now) {
        boolean due = !planned.isEmpty() && planned.first().nextLook() - now <= 0;
        heardLast = !heard.isEmpty() && !(due && heardLast);
        Stream<Wait> next =
                heardLast ? heard.stream() : planned.stream().takeWhile(wait -> wait.nextLook() - now <= TOGETHER);
        return next.limit(most).toList();
    }
}
