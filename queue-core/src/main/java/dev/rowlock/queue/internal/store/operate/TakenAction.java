package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.search.JobFilter;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** A bulk action whose row this transaction has locked, and how far it has come. */
record TakenAction(
        long id,
        BulkKind kind,
        JobFilter filter,
        long afterId,
        long lastId,
        OffsetDateTime createdAt,
        @Nullable Integer perSecond) {

    /** A quarter of a second's jobs: more would come in a burst. */
    int most(int largest) {
        return perSecond == null ? largest : Math.max(1, Math.min(largest, (perSecond + 3) / 4));
    }

    /** How long the rate allows no further batch. */
    long restMillis(int jobs) {
        return perSecond == null ? 0 : jobs * 1000L / perSecond;
    }
}
