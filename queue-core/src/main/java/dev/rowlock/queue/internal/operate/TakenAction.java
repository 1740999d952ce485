package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.search.JobFilter;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A bulk action whose row this transaction has locked, and how far it has come.
 *
 * @param stretch how many jobs a batch looks at, at most
 * @param lockedIds the jobs up to {@code afterId} that somebody else had locked
 */
record TakenAction(
        long id,
        BulkKind kind,
        JobFilter filter,
        long afterId,
        long lastId,
        OffsetDateTime createdAt,
        @Nullable Integer perSecond,
        int stretch,
        List<Long> lockedIds) {

    /** How many jobs a batch looks at, if they do not take long. */
    static final int LONGEST_STRETCH = 10_000;

    /** So many locked jobs are remembered. With more of them, the action waits for one. */
    static final int MOST_LOCKED = 1_000;

    int roomForLocked() {
        return MOST_LOCKED - lockedIds.size();
    }

    /** Whether the locked jobs are next: there are no others, or too many are locked. */
    boolean comesBack() {
        return !lockedIds.isEmpty() && (afterId >= lastId || roomForLocked() <= 0);
    }

    List<Long> lockedIdsAnd(List<Long> others) {
        return Stream.concat(lockedIds.stream(), others.stream()).toList();
    }

    /** A quarter of a second's jobs: more would come in a burst. */
    int most(int largest) {
        return perSecond == null ? largest : Math.max(1, Math.min(largest, (perSecond + 3) / 4));
    }

    /** How long the rate allows no further batch. */
    long restMillis(int jobs) {
        return perSecond == null ? 0 : jobs * 1000L / perSecond;
    }
}
