package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done to many jobs, and how far it has come.
 *
 * @param filter its conditions, for people
 * @param error the error that the filter's fingerprint stands for; null: it names none, or no job had it
 * @param counted how many jobs there were for it when it was asked for
 * @param countedAll whether all were counted; false: there were more than {@code counted}
 * @param done to how many jobs it has been done
 * @param refused how many jobs it has passed over, because the server refuses to move them by a trigger or constraint for example, or takes
 *     too long for one alone; they stay as they are
 * @param refusal why the last of them was refused: SQLSTATE and the server's message, of a data exception (class 22) only the SQLSTATE;
 *     null: none was
 * @param perSecond how many jobs a second at most; null: as fast as may be
 * @param createdAt when it was asked for; jobs that came later are none of its
 * @param endedAt null: it goes on
 */
public record BulkAction(
        long id,
        Kind kind,
        State state,
        String filter,
        @Nullable KindOfError error,
        String who,
        @Nullable String why,
        long counted,
        boolean countedAll,
        long done,
        long refused,
        @Nullable String refusal,
        @Nullable Integer perSecond,
        Instant createdAt,
        @Nullable Instant endedAt) {

    /** What is done. */
    public enum Kind {
        /** Dead jobs run again. */
        REDRIVE,
        /** Dead jobs are deleted. */
        DISCARD,
        /** Waiting and ready jobs end as cancelled. */
        CANCEL
    }

    /** Whether it goes on. */
    public enum State {
        /** Nodes work on it. */
        RUNNING,
        /** It has been done to all jobs but those that were refused. */
        FINISHED,
        /** Somebody has ended it. What had been done stays. */
        CANCELLED
    }
}
